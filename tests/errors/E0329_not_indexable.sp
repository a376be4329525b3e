function f(Graph g, SetN<g> sources) {
  return sources[0];
}
