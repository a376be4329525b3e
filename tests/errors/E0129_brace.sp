function f(Graph g, propNode<int> p) {
  forall (v in g.nodes())
    v.p = 1;
    v.p += g.count_outNbrs(v);
  }
  return g.num_nodes();
}
