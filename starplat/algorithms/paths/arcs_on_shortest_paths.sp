// All shortest paths between two nodes: `on_path` marks the arcs of them; returns the number of arcs of each.
//
// -1 if there is no path.
function arcs_on_shortest_paths(Graph g, propEdge<bool> on_path, node src, node destination) {
  propNode<int> from_src;
  propNode<int> to_destination;
  propNode<bool> frontier;
  g.attachNodeProperty(from_src = INF, to_destination = INF, frontier = False);
  src.from_src = 0;
  src.frontier = True;
  bool forwards = False;
  fixedPoint until (forwards : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.neighbors(v)) {
        <w.from_src, w.frontier> = <Min(w.from_src, v.from_src + 1), True>;
      }
    }
  }
  destination.to_destination = 0;
  destination.frontier = True;
  bool backwards = False;
  fixedPoint until (backwards : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (u in g.nodes_to(v)) {
        <u.to_destination, u.frontier> = <Min(u.to_destination, v.to_destination + 1), True>;
      }
    }
  }
  int length = destination.from_src == INF ? -1 : destination.from_src;
  forall (e in g.edges()) {
    node u = e.source;
    node v = e.destination;
    e.on_path = u.from_src < INF && v.to_destination < INF && u.from_src + 1 + v.to_destination == length;
  }
  return length;
}
