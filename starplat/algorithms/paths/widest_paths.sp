// Widest paths: `width` is the largest weight that every arc of some path from `src` has at least, 0 where there is none.
//
// The bottleneck of the best path, INF at `src` itself. Weights are positive. The second form is for weights that are no
// integers.
function widest_paths(Graph g, propNode<long> width, propEdge<long> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(width = 0, modified = False);
  src.width = INF;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.width, w.modified> = <Max(w.width, min(v.width, e.weight)), True>;
      }
    }
  }
}

function widest_paths_real(Graph g, propNode<double> width, propEdge<double> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(width = 0, modified = False);
  src.width = INF;
  src.modified = True;
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.width, w.modified> = <Max(w.width, min(v.width, e.weight)), True>;
      }
    }
  }
}
