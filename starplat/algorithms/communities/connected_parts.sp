// The connected parts of communities: `part` is the smallest node that is reached without leaving the community.
//
// Communities that were found by propagating labels or moving nodes may fall apart; this makes one of every part, as
// Leiden's method has them. Nodes of the same `community` are together; arcs are taken both ways. Returns the number of
// parts.
function connected_parts(Graph g, propNode<node> community, propNode<node> part) {
  propNode<bool> frontier;
  forall (v in g.nodes()) {
    v.part = v;
    v.frontier = True;
  }
  bool finished = False;
  fixedPoint until (finished : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.inOutNbrs(v).filter(community == v.community)) {
        <w.part, w.frontier> = <Min(w.part, v.part), True>;
      }
    }
  }
  long parts = 0;
  forall (v in g.nodes().filter(part == v)) {
    parts += 1;
  }
  return parts;
}
