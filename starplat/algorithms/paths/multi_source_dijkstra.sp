// Shortest paths from the nearest of several nodes: `dist` is the length, `parent` the node before, `nearest` the source.
//
// A length is the least sum of weights along a path from one of `sources`; INF and -1 where there is no path. Of equally
// near sources any may be `nearest`; its cells are those of a Voronoi diagram. No weight is negative. The second form is
// for weights that are no integers.
function multi_source_dijkstra(Graph g, propNode<long> dist, propNode<node> parent, propNode<node> nearest, propEdge<long> weight, SetN<g> sources) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, parent = -1, nearest = -1, modified = False);
  forall (s in sources) {
    s.dist = 0;
    s.modified = True;
  }
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.parent, w.modified> = <Min(w.dist, v.dist + e.weight), v, True>;
      }
    }
  }
  forall (v in g.nodes().filter(dist < INF)) {
    node root = v;
    while (root.parent >= 0) {
      root = root.parent;
    }
    v.nearest = root;
  }
}

function multi_source_dijkstra_real(Graph g, propNode<double> dist, propNode<node> parent, propNode<node> nearest, propEdge<double> weight, SetN<g> sources) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, parent = -1, nearest = -1, modified = False);
  forall (s in sources) {
    s.dist = 0;
    s.modified = True;
  }
  bool finished = False;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.parent, w.modified> = <Min(w.dist, v.dist + e.weight), v, True>;
      }
    }
  }
  forall (v in g.nodes().filter(dist < INF)) {
    node root = v;
    while (root.parent >= 0) {
      root = root.parent;
    }
    v.nearest = root;
  }
}
