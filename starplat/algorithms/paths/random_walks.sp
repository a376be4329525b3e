// Random walks: one starts at every node and takes `length` steps; `end` is where it ends, `visits` counts all steps.
//
// A step follows any arc that leaves a node, each as likely as the other; a walk ends early where none does. The same
// `seed` gives the same walks on every target.
function random_walks(Graph g, propNode<node> end, propNode<long> visits, int length = 10, long seed = 0) {
  g.attachNodeProperty(visits = 0);
  forall (v in g.nodes()) {
    node at = v;
    for (int step = 0; step < length; step++) {
      if (g.degree(at) > 0) {
        at = g.neighbor(at, randomInt(seed, long(v) << 32 | step, g.degree(at)));
        at.visits += 1;
      }
    }
    v.end = at;
  }
}
