// Edge betweenness: `bc` sums, over `sources` and all targets, the share of shortest paths through an arc.
//
// Brandes' method. Neither normalised nor halved: of an undirected graph's edge both arcs are to be summed.
function edge_betweenness(Graph g, propEdge<double> bc, SetN<g> sources) {
  g.attachEdgeProperty(bc = 0.0);
  for (src in sources) {
    propNode<double> paths;
    propNode<double> share;
    g.attachNodeProperty(paths = 0.0, share = 0.0);
    src.paths = 1.0;
    iterateInBFS (v in g.nodes() from src) {
      forall (w in g.neighbors(v)) {
        w.paths += v.paths;
      }
    }
    iterateInReverse {
      for (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        double through = v.paths / w.paths * (1.0 + w.share);
        e.bc += through;
        v.share += through;
      }
    }
  }
}
