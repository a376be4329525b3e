function reset(Graph g, propNode<int> p) {
  g.attachNodeProperty(p = 0);
}
function main(Graph g, propNode<int> p) {
  int done = reset(g, p);
  return done;
}
