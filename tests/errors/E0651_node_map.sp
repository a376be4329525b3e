function f(Graph g, node src) {
  nodeMap(int) first;
  first.insert(src, 1);
  return first.size();
}
