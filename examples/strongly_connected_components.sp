// Strongly connected components: `component` is the smallest node of those that a node can reach and be reached from.
//
// Trims nodes that stand alone; then, of what is left, each node learns the smallest node that reaches it (its
// color), and from every node of its own color a backward search collects the component (Orzan).
function strongly_connected_components(Graph g, propNode<node> component) {
  propNode<node> color;
  propNode<bool> modified;
  g.attachNodeProperty(component = -1, color = -1, modified = False);
  bool finished = False;
  fixedPoint until (finished : component >= 0) {
    trim(g, component);

    forall (v in g.nodes().filter(component == -1)) {
      v.color = v;
      v.modified = True;
    }
    bool colored = False;
    fixedPoint until (colored : !modified) {
      forall (v in g.nodes().filter(modified)) {
        forall (nbr in g.neighbors(v).filter(component == -1)) {
          <nbr.color, nbr.modified> = <Min(nbr.color, v.color), True>;
        }
      }
    }

    forall (v in g.nodes().filter(component == -1 && color == v)) {
      v.component = v;
      v.modified = True;
    }
    bool collected = False;
    fixedPoint until (collected : !modified) {
      forall (v in g.nodes().filter(modified)) {
        forall (nbr in g.nodes_to(v).filter(color == v.color)) {
          <nbr.component, nbr.modified> = <Max(nbr.component, v.color), True>;
        }
      }
    }
  }
}

// Gives nodes that no other node left leads to, or that lead to none, components of their own, again and again.
function trim(Graph g, propNode<node> component) {
  propNode<bool> alone;
  g.attachNodeProperty(alone = False);
  long trimmed = 1;
  while (trimmed > 0) {
    trimmed = 0;
    forall (v in g.nodes().filter(component == -1)) {
      bool entered = False;
      for (u in g.nodes_to(v).filter(component == -1 && u != v)) {
        entered = True;
      }
      bool leaves = False;
      for (w in g.neighbors(v).filter(component == -1 && w != v)) {
        leaves = True;
      }
      v.alone = !(entered && leaves);
    }
    forall (v in g.nodes().filter(component == -1 && alone)) {
      v.component = v;
      trimmed += 1;
    }
  }
}
