function compare(Graph a, Graph b) {
  propNode<int> mark;
  a.attachNodeProperty(mark = 0);
  return Count(mark) + b.num_nodes();
}
