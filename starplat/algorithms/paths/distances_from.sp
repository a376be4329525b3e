// Shortest paths from several nodes at once: `dist` is the least sum of weights along a path from one of `sources`.
//
// It is INF where there is none. No weight is negative. The second form is for weights that are no integers.
function distances_from(Graph g, propNode<long> dist, propEdge<long> weight, SetN<g> sources) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, modified = False);
  forall (s in sources) {
    s.dist = 0;
    s.modified = True;
  }
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.modified> = <Min(w.dist, v.dist + e.weight), True>;
      }
    }
  }
}

function distances_from_real(Graph g, propNode<double> dist, propEdge<double> weight, SetN<g> sources) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, modified = False);
  forall (s in sources) {
    s.dist = 0;
    s.modified = True;
  }
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.modified> = <Min(w.dist, v.dist + e.weight), True>;
      }
    }
  }
}
