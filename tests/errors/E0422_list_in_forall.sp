function far(Graph g, propNode<int> dist, int least) {
  list<node> found;
  list<int> limits;
  limits.push(least);
  forall (v in g.nodes()) {
    list<node> own;
    if (v.dist > limits[0]) {
      found.push(v);
    }
  }
  forall (v in g.nodes().filter(dist > limits[0])) {
    v.dist = 0;
  }
  return found;
}
