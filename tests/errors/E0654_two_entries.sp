function f(Graph g, propNode<int> x) {
  g.attachNodeProperty(x = 1);
}

function h(Graph g, propNode<int> x) {
  g.attachNodeProperty(x = 2);
}
