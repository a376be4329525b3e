function f(Graph g, SetN<g> chosen, propNode<int> q) {
  forall (v in g.nodes()) {
    v.q = others(g, chosen);
  }
}

function others(Graph g, SetN<g> chosen) {
  return chosen.size() - 1;
}
