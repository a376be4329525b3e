// Generations of an acyclic graph: `generation` counts the arcs of the longest path to a node, -1 on cycles and beyond.
//
// Takes away, again and again, the nodes that no node left leads to (Kahn).
function topological_generations(Graph g, propNode<int> generation) {
  propNode<int> missing;
  g.attachNodeProperty(generation = -1);
  forall (v in g.nodes()) {
    v.missing = g.count_inNbrs(v);
  }
  long taken = 1;
  int round = 0;
  while (taken > 0) {
    taken = 0;
    forall (v in g.nodes().filter(generation == -1 && missing == 0)) {
      v.generation = round;
      taken += 1;
    }
    forall (v in g.nodes().filter(generation == round)) {
      forall (w in g.neighbors(v)) {
        w.missing -= 1;
      }
    }
    round++;
  }
}
