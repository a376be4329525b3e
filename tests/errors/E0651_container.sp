function f(Graph g) {
  container<container<node>> levels;
  levels[0].push(1);
  return g.num_nodes();
}
