function push(Graph g, node v, propNode<int> load) {
  for (w in g.neighbors(v)) {
    w.load += 1;
  }
}
function main(Graph g, propNode<int> load) {
  forall (v in g.nodes()) {
    push(g, v, load);
  }
}
