// Random walks from every node: `visits` counts how often walks come to a node; `last` is where a node's last one ends.
//
// `walks` walks of `length` arcs start at every node, and count there too. Each step takes one of the arcs out of the
// node, all as likely; where there is none the walk ends. The same `seed` gives the same walks on every target.
function random_walks(Graph g, propNode<long> visits, propNode<node> last, int walks = 10, int length = 10, long seed = 1) {
  g.attachNodeProperty(visits = 0);
  for (int walk = 0; walk < walks; walk++) {
    forall (v in g.nodes()) {
      long first = (long(walk) * g.num_nodes() + v) * length;
      node u = v;
      int step = 0;
      u.visits += 1;
      while (step < length && g.degree(u) > 0) {
        u = g.neighbor(u, randomInt(seed, first + step, g.degree(u)));
        u.visits += 1;
        step += 1;
      }
      v.last = u;
    }
  }
}
