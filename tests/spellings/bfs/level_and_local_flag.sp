// while over a negated flag; the level is a local; the next depth in a temporary; push over out-arcs of a depth; ternary
// names: level=out src=origin
function hop_count(Graph g, propNode<int> out, node origin) {
  propNode<int> hop;
  forall (t in g.nodes()) { t.hop = t == origin ? 0 : INF; }
  bool finished = False;
  int reach = 1;
  while (!finished) {
    finished = True;
    forall (t in g.nodes().filter(hop == reach - 1)) {
      forall (n in g.neighbors(t).filter(hop > reach)) {
        n.hop = reach;
        finished = False;
      }
    }
    reach = reach + 1;
  }
  forall (t in g.nodes()) { t.out = t.hop; }
}
