function f(Graph g) {
  container<int> c;
  c.push(1);
}
