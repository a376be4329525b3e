// Betweenness centrality: `bc` sums, over `sources` and all targets, the share of shortest paths through a node.
//
// Brandes' method, in which a node pulls the number of shortest paths to it from the level before. Neither normalised
// nor halved: with all nodes as sources an undirected graph counts every pair in both directions.
function betweenness(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (src in sources) {
    propNode<double> sigma;
    propNode<double> delta;
    g.attachNodeProperty(sigma = 0.0, delta = 0.0);
    src.sigma = 1.0;
    iterateInBFS (v in g.nodes() from src) {
      for (w in g.neighbors(v)) {
        v.sigma = v.sigma + w.sigma;
      }
    }
    iterateInReverse (v != src) {
      for (w in g.neighbors(v)) {
        v.delta = v.delta + v.sigma / w.sigma * (1.0 + w.delta);
      }
      v.bc = v.bc + v.delta;
    }
  }
}
