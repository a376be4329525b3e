// while; a flag says who is new, a level is given with it; back by counting down; pulled by children
function bc(Graph g, propNode<double> bc, SetN<g> sources) {
  g.attachNodeProperty(bc = 0.0);
  for (s in sources) {
    propNode<int> level;
    propNode<double> paths;
    propNode<double> share;
    propNode<bool> front;
    propNode<bool> next;
    g.attachNodeProperty(level = -1, paths = 0.0, share = 0.0, front = False, next = False);
    s.level = 0;
    s.paths = 1.0;
    s.front = True;
    int depth = 0;
    bool more = True;
    while (more) {
      more = False;
      forall (v in g.nodes().filter(front)) {
        forall (w in g.neighbors(v)) {
          if (w.level == -1) {
            w.level = depth + 1;
            w.next = True;
            more = True;
          }
        }
      }
      forall (v in g.nodes().filter(front)) {
        forall (w in g.neighbors(v)) {
          if (w.level == depth + 1) {
            w.paths += v.paths;
          }
        }
      }
      front = next;
      g.attachNodeProperty(next = False);
      depth++;
    }
    for (int d = depth; d > 0; d = d - 1) {
      forall (v in g.nodes().filter(level == d - 1)) {
        for (w in g.neighbors(v)) {
          if (w.level == d) {
            v.share += v.paths / w.paths * (1.0 + w.share);
          }
        }
        if (v != s) {
          v.bc += v.share;
        }
      }
    }
  }
}
