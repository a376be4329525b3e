// Shortest paths with predecessors: `dist` is the least sum of weights along a path from `src`, `parent` the node before.
//
// INF and -1 where there is no path; `src` has parent -1. No weight is negative: then the answer is Dijkstra's, whatever
// the order in which nodes are settled. The second form is for weights that are no integers.
function dijkstra(Graph g, propNode<long> dist, propNode<node> parent, propEdge<long> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, parent = -1, modified = False);
  src.dist = 0;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.parent, w.modified> = <Min(w.dist, v.dist + e.weight), v, True>;
      }
    }
  }
}

function dijkstra_real(Graph g, propNode<double> dist, propNode<node> parent, propEdge<double> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, parent = -1, modified = False);
  src.dist = 0;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.parent, w.modified> = <Min(w.dist, v.dist + e.weight), v, True>;
      }
    }
  }
}
