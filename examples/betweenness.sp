// Betweenness centrality: `bc` sums, over `sources` and all targets, the share of shortest paths through a node.
//
// Brandes' method, in which a node pulls the number of shortest paths to it from the level before. Neither normalised
// nor halved: with all nodes as sources an undirected graph counts every pair in both directions.
//
// There may be more paths than a double can count: 2^4088 to the middle of a grid of 2048 x 2048 nodes. So a node has
// `paths` times 2^512 to the `power`; the power is 0 for up to 2^400 paths, and `paths` is more than that for the others.
// Theirs is a `share` below 2^-336, as fewer than 2^64 nodes are behind one: a greater one tells that both powers are 0.
function betweenness(Graph g, propNode<double> bc, SetN<g> sources) {
  double many = pow(2.0, 400.0);
  double most = pow(2.0, 912.0);
  double unit = pow(2.0, -512.0);
  double sure = pow(2.0, -336.0);
  g.attachNodeProperty(bc = 0.0);
  for (src in sources) {
    propNode<double> paths;
    propNode<int> power;
    propNode<double> share;
    g.attachNodeProperty(paths = 0.0, power = 0, share = 0.0);
    src.paths = 1.0;
    iterateInBFS (v in g.nodes() from src) {
      for (u in g.nodes_to(v)) {
        v.paths += u.paths;
      }
      if (v.paths > many) {
        double sum = 0.0;
        int highest = 0;
        for (u in g.nodes_to(v)) {
          if (u.power > highest) {
            sum = u.power == highest + 1 ? sum * unit : 0.0;
            highest = u.power;
          }
          sum += u.power == highest ? u.paths : u.power == highest - 1 ? u.paths * unit : 0.0;
        }
        bool carry = sum > most;
        v.paths = carry ? sum * unit : sum;
        v.power = carry ? highest + 1 : highest;
      }
    }
    iterateInReverse (v != src) {
      double shares = 0.0;
      for (w in g.neighbors(v)) {
        shares += w.share > sure || w.power == v.power ? w.share : w.power == v.power + 1 ? w.share * unit : 0.0;
      }
      double through = v.paths * shares;
      v.share = (1.0 + through) / v.paths;
      v.bc += through;
    }
  }
}
