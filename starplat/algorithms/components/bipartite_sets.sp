// The two sides of a bipartite graph: returns True if every edge joins a node of `side` 0 and one of `side` 1.
//
// The smallest node of every component has side 0. If the graph is not bipartite, `in_odd_cycle` marks one arc of every
// edge of a cycle of an odd number of edges, a loop being one. Arcs are taken both ways.
//
// Breadth-first search from the smallest nodes: only an edge between two nodes of a level can close an odd cycle, with
// the ways from its ends up to where they meet.
function bipartite_sets(Graph g, propNode<int> side, propEdge<bool> in_odd_cycle) {
  propNode<node> component;
  propNode<int> level;
  propNode<node> parent;
  propNode<bool> frontier;
  g.attachEdgeProperty(in_odd_cycle = False);
  g.attachNodeProperty(level = INF, parent = -1, frontier = True);
  forall (v in g.nodes()) {
    v.component = v;
  }
  bool labelled = False;
  fixedPoint until (labelled : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.inOutNbrs(v)) {
        <w.component, w.frontier> = <Min(w.component, v.component), True>;
      }
    }
  }
  forall (v in g.nodes().filter(component == v)) {
    v.level = 0;
    v.frontier = True;
  }
  bool searched = False;
  fixedPoint until (searched : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.inOutNbrs(v)) {
        <w.level, w.frontier> = <Min(w.level, v.level + 1), True>;
      }
    }
  }
  forall (v in g.nodes()) {
    v.side = v.level % 2;
    for (u in g.inOutNbrs(v).filter(level + 1 == v.level)) {
      v.parent = u;
    }
  }
  edge odd = -1;
  forall (e in g.edges()) {
    if (e.source.level == e.destination.level) {
      odd = max(odd, e);
    }
  }
  forall (e in g.edges().filter(e == odd)) {
    e.in_odd_cycle = True;
    node a = e.source;
    node b = e.destination;
    while (a != b) {
      edge left = arc_between(g, a, a.parent);
      edge right = arc_between(g, b, b.parent);
      left.in_odd_cycle = True;
      right.in_odd_cycle = True;
      a = a.parent;
      b = b.parent;
    }
  }
  return odd == -1;
}

// An arc between two nodes that are joined by one.
function arc_between(Graph g, node a, node b) {
  edge e = g.get_edge(b, a);
  return e != -1 ? e : g.get_edge(a, b);
}
