function f(Graph g, node src, list<node> path) {
  for (w in g.neighbors(src)) {
    path.push(w);
  }
}
