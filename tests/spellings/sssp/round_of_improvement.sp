// do … while; the number of the round in which a node improved; push; Min that carries it; the source by a ternary
// names: dist=far src=home
function paths(Graph g, propNode<int> far, propEdge<int> weight, node home) {
  propNode<int> improved;
  forall (v in g.nodes()) {
    v.far = v == home ? 0 : INF;
    v.improved = v == home ? 0 : -1;
  }
  int round = 0;
  long count = 0;
  do {
    count = 0;
    forall (v in g.nodes().filter(improved == round)) {
      forall (w in g.neighbors(v)) {
        edge road = g.get_edge(v, w);
        int length = v.far + road.weight;
        <w.far, w.improved> = <Min(w.far, length), round + 1>;
      }
    }
    round++;
    forall (v in g.nodes().filter(improved == round)) {
      count += 1;
    }
  } while (count > 0);
}
