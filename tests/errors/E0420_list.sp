Dynamic f(Graph g, propEdge<int> weight, updates<g> changes, node a, node b) {
  list<edge> held;
  list<edge> fresh;
  long total = 0;
  held.push(g.get_edge(a, b));
  Batch (changes : 10) {
    g.updateCSRAdd(changes);
    fresh.clear();
    fresh.push(g.get_edge(a, b));
    total += held[0].weight + fresh[0].weight;
    for (e in held) {
      total += e.weight;
    }
  }
  return total;
}
