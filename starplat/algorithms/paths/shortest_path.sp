// A shortest path: returns the list of its nodes from `src` to `destination`, which is empty if no path leads there.
//
// The sum of weights along it is the least, `dist` at `destination`; no weight is negative. `dist` and `parent` are those
// of all nodes that are reached from `src`: the path is followed backwards by `parent`, then turned round.
function shortest_path(Graph g, propNode<double> dist, propNode<node> parent, propEdge<double> weight, node src, node destination) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, parent = -1, modified = False);
  src.dist = 0.0;
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
  list<node> back;
  node v = destination;
  while (v != src && v != -1) {
    back.push(v);
    v = v.parent;
  }
  list<node> path;
  if (v == src) {
    path.push(src);
    for (int i = back.size() - 1; i >= 0; i--) {
      path.push(back[i]);
    }
  }
  return path;
}
