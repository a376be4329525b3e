// fixedPoint over a negated flag; push from marked nodes; the lesser by an if in a temporary; Max
// names: width=pipe src=well
function widest(Graph g, propNode<int> pipe, propEdge<int> weight, node well) {
  propNode<bool> wet;
  g.attachNodeProperty(wet = False, pipe = 0);
  well.wet = True;
  well.pipe = INF;
  fixedPoint until (dry : !wet) {
    forall (a in g.nodes()) {
      if (a.wet) {
        int have = a.pipe;
        forall (b in g.neighbors(a)) {
          edge e = g.get_edge(a, b);
          int fits = have;
          if (e.weight < fits) {
            fits = e.weight;
          }
          if (b.pipe < fits) {
            <b.pipe, b.wet> = <Max(b.pipe, fits), True>;
          }
        }
      }
    }
  }
}
