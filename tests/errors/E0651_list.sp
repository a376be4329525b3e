function f(Graph g, list<list<node>> paths) {
  return paths.size();
}
