// Strongly connected components: `component` is the smallest node of those that a node can reach and be reached from.
//
// Joins nodes between which arcs lead both ways to clusters; a cluster that no arc leaves is a component. Trims nodes
// that stand alone; then, of what is left, each node learns the smallest node that reaches it (its color), and from
// every cluster of its own color a backward search collects the component (Orzan).
function strongly_connected_components(Graph g, propNode<node> component) {
  propNode<node> cluster;
  join_both_ways(g, cluster);
  settle(g, cluster, component);
}

// Gives nodes that are joined by arcs which lead both ways the smallest node among them.
function join_both_ways(Graph g, propNode<node> cluster) {
  propNode<bool> modified;
  g.attachNodeProperty(modified = True);
  forall (v in g.nodes()) {
    v.cluster = v;
  }
  bool joined = False;
  fixedPoint until (joined : !modified) {
    forall (v in g.nodes().filter(modified)) {
      forall (w in g.neighbors(v).filter(g.is_an_edge(w, v))) {
        <w.cluster, w.modified> = <Min(w.cluster, v.cluster), True>;
      }
    }
  }
}

// Collects the components that clusters are in.
function settle(Graph g, propNode<node> cluster, propNode<node> component) {
  propNode<bool> open;
  g.attachNodeProperty(component = -1, open = False);
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v).filter(cluster != v.cluster)) {
      node own = v.cluster;
      own.open = True;
    }
  }
  forall (v in g.nodes()) {
    node own = v.cluster;
    if (!own.open) {
      v.component = own;
    }
  }

  propNode<bool> alone;
  propNode<node> color;
  propNode<bool> modified;
  g.attachNodeProperty(alone = False, color = -1, modified = False);
  bool finished = False;
  fixedPoint until (finished : component >= 0) {
    long trimmed = 1;
    while (trimmed > 0) {
      trimmed = 0;
      forall (v in g.nodes().filter(component == -1)) {
        bool led_to = False;
        for (u in g.nodes_to(v).filter(component == -1 && u != v)) {
          led_to = True;
          break;
        }
        bool leads_on = False;
        for (w in g.neighbors(v).filter(component == -1 && w != v)) {
          leads_on = True;
          break;
        }
        v.alone = !(led_to && leads_on);
      }
      forall (v in g.nodes().filter(component == -1 && alone)) {
        v.component = v;
        trimmed += 1;
      }
    }

    forall (v in g.nodes().filter(component == -1)) {
      v.color = v.cluster;
      v.modified = True;
    }
    bool colored = False;
    fixedPoint until (colored : !modified) {
      forall (v in g.nodes().filter(modified)) {
        forall (w in g.neighbors(v).filter(component == -1)) {
          <w.color, w.modified> = <Min(w.color, v.color), True>;
        }
      }
    }

    forall (v in g.nodes().filter(component == -1 && color == cluster)) {
      v.component = v.color;
      v.modified = True;
    }
    bool collected = False;
    fixedPoint until (collected : !modified) {
      forall (v in g.nodes().filter(modified)) {
        forall (u in g.nodes_to(v).filter(color == v.color)) {
          <u.component, u.modified> = <Max(u.component, v.color), True>;
        }
      }
    }
  }
}
