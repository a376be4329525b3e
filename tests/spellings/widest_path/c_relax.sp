// for over rounds with an early end by break; an int flag; arcs; if; a local for the lesser by an if
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  forall (v in g.nodes()) {
    v.width = 0;
  }
  src.width = INF;
  int n = g.num_nodes();
  for (int round = 0; round < n; round++) {
    int wider = 0;
    forall (e in g.edges()) {
      node u = e.source;
      node v = e.destination;
      int through = u.width < e.weight ? u.width : e.weight;
      if (through > v.width) {
        v.width = Max(v.width, through);
        wider = 1;
      }
    }
    if (wider == 0) {
      break;
    }
  }
}
