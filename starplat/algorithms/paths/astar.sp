// A shortest path between two nodes in the plane: returns the least sum of weights along a path from `src` to `goal`.
//
// INF if there is no path. `x` and `y` are coordinates; no arc weighs less than the straight line between its ends. A
// node from which the straight line to `goal` makes a path no shorter than one already found is left alone, as in A*
// (Hart, Nilsson and Raphael). `dist` and `parent` hold the path; of nodes off it `dist` is an upper bound.
function astar(Graph g, propNode<double> dist, propNode<node> parent, propNode<double> x, propNode<double> y, propEdge<double> weight, node src, node goal) {
  propNode<double> ahead;
  propNode<double> offer;
  propNode<node> before;
  propNode<bool> open;
  g.attachNodeProperty(dist = INF, parent = -1, offer = INF, before = -1, open = False);
  double goal_x = goal.x;
  double goal_y = goal.y;
  forall (v in g.nodes()) {
    double across = v.x - goal_x;
    double along = v.y - goal_y;
    v.ahead = sqrt(across * across + along * along);
  }
  src.dist = 0.0;
  src.open = True;
  bool searching = True;
  while (searching) {
    searching = False;
    double shortest = goal.dist;
    forall (v in g.nodes().filter(open && dist + ahead < shortest)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.offer, w.before> = <Min(w.offer, v.dist + e.weight), v>;
      }
    }
    forall (v in g.nodes()) {
      v.open = v.offer < v.dist;
      if (v.open) {
        v.dist = v.offer;
        v.parent = v.before;
        searching = True;
      }
    }
  }
  return goal.dist;
}
