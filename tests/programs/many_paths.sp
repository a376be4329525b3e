// Betweenness centrality: `bc` sums, over `sources` and all targets, the share of shortest paths through a node.
//
// Brandes' method, in which a node pulls the number of shortest paths to it from the level before. Neither normalised
// nor halved: with all nodes as sources an undirected graph counts every pair in both directions.
//
// Numbers of paths may be too large for a double (2^4088 in the middle of a grid of 4096 x 4096 nodes), so each is kept
// as `paths` times 2^512 to the `power`. Parts of a sum that are less than 2^-512 of it may be left out.
function betweenness(Graph g, propNode<double> bc, SetN<g> sources) {
  double large = 1.3407807929942597e154; // 2^512
  double small = 7.458340731200207e-155; // 2^-512
  g.attachNodeProperty(bc = 0.0);
  for (src in sources) {
    propNode<double> paths;
    propNode<int> power;
    propNode<double> share;
    g.attachNodeProperty(paths = 0.0, power = 0, share = 0.0);
    src.paths = 1.0;
    iterateInBFS (v in g.nodes() from src) {
      int most = 0;
      for (u in g.nodes_to(v)) {
        most = max(most, u.power);
      }
      double sum = v.paths;
      for (u in g.nodes_to(v)) {
        sum += u.power == most ? u.paths : u.power == most - 1 ? u.paths * small : 0.0;
      }
      if (sum > large) {
        sum = sum * small;
        most += 1;
      }
      v.paths = sum;
      v.power = most;
    }
    iterateInReverse (v != src) {
      double sum = 0.0;
      for (w in g.neighbors(v)) {
        sum += w.power == v.power ? w.share : w.power == v.power + 1 ? w.share * small : 0.0;
      }
      double through = v.paths * sum;
      v.share = (1.0 + through) / v.paths;
      v.bc = v.bc + through;
    }
  }
}
