// Whether a directed graph is strongly connected: returns True if every node has a path to every other one.
//
// That is so if the first node has a path to all and all have one to it. A graph without nodes is not: it has no
// component.
function is_strongly_connected(Graph g) {
  propNode<bool> reached;
  propNode<bool> reaching;
  propNode<bool> frontier;
  g.attachNodeProperty(reached = False, reaching = False, frontier = False);
  forall (v in g.nodes().filter(v == 0)) {
    v.reached = True;
    v.reaching = True;
    v.frontier = True;
  }
  bool forwards = False;
  fixedPoint until (forwards : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.neighbors(v).filter(!reached)) {
        w.reached = True;
        w.frontier = True;
      }
    }
  }
  forall (v in g.nodes().filter(v == 0)) {
    v.frontier = True;
  }
  bool backwards = False;
  fixedPoint until (backwards : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (u in g.nodes_to(v).filter(!reaching)) {
        u.reaching = True;
        u.frontier = True;
      }
    }
  }
  long n = g.num_nodes();
  return n > 0 && Count(reached) == n && Count(reaching) == n;
}
