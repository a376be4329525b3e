// The flag of a fixedPoint is not declared elsewhere, and its body assigns it: round by round until no cell is above its
// node's number, then until a counter says so.
function entry(Graph g, propNode<int> left) {
  int rounds = 0;
  g.attachNodeProperty(left = 5);
  fixedPoint until (done : True) {
    rounds += 1;
    forall (v in g.nodes()) {
      if (v.left > v) {
        v.left -= 1;
        done = False;
      }
    }
  }
  propNode<bool> waiting;
  fixedPoint until (ended : !waiting) {
    rounds += 10;
    forall (v in g.nodes()) {
      v.waiting = v.left + rounds < 50;
    }
    ended = rounds > 95;
  }
  return rounds;
}
