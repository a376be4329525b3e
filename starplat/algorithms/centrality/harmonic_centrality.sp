// Harmonic centrality: `harmonic` sums, over all other nodes, the inverse of the number of steps from there to a node.
//
// A node from which there is no path adds nothing (Marchiori and Latora).
function harmonic_centrality(Graph g, propNode<double> harmonic) {
  g.attachNodeProperty(harmonic = 0.0);
  forall (src in g.nodes()) {
    propNode<int> level;
    g.attachNodeProperty(level = INF);
    src.level = 0;
    iterateInBFS (v in g.nodes() from src) {
      forall (w in g.neighbors(v)) {
        <w.level> = <Min(w.level, v.level + 1)>;
      }
      v.harmonic += v.level > 0 ? 1.0 / v.level : 0.0;
    }
  }
}
