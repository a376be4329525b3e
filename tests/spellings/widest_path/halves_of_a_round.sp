// while; a round has two halves, each over the nodes that the other half widened; Max of a min in a temporary
// names: width=room
function widest(Graph g, propNode<int> room, propEdge<int> weight, node src) {
  propNode<bool> even;
  propNode<bool> odd;
  g.attachNodeProperty(room = 0, even = False, odd = False);
  src.room = INF;
  src.even = True;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(even)) {
      v.even = False;
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        int through = e.weight;
        if (v.room < through) {
          through = v.room;
        }
        if (w.room < through) {
          <w.room, w.odd> = <Max(w.room, through), True>;
          more = True;
        }
      }
    }
    forall (v in g.nodes().filter(odd)) {
      v.odd = False;
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.room, w.even, more> = <Max(w.room, min(v.room, e.weight)), True, True>;
      }
    }
  }
}
