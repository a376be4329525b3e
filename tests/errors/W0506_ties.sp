function reach(Graph g, propNode<int> seed, propNode<int> dist, propNode<node> parent) {
  forall (v in g.nodes()) {
    forall (nbr in g.neighbors(v)) {
      <nbr.dist, nbr.parent> = <Min(nbr.dist, v.seed + 1), v>;
    }
  }
}
