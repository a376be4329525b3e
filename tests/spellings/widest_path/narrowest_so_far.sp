// fixedPoint over a number of changes; the lesser of two by a ternary in a local; push; both flags are set by hand
// names: width=room src=here
function widest(Graph g, propEdge<int> weight, propNode<int> room, node here) {
  propNode<bool> told;
  g.attachNodeProperty(room = 0, told = False);
  here.room = INF;
  here.told = True;
  int rest = 1;
  do {
    rest = 0;
    forall (a in g.nodes()) {
      if (a.told) {
        a.told = False;
        forall (b in g.neighbors(a)) {
          edge e = g.get_edge(a, b);
          int through = e.weight < a.room ? e.weight : a.room;
          if (b.room < through) {
            b.room = Max(b.room, through);
            b.told = True;
            rest += 1;
          }
        }
      }
    }
  } while (rest > 0);
}
