// for over sources; levels from 0 with -1 for none by flags of the next level; paths pulled afterwards; back by a helper
// names: bc=between sources=from
function owed(Graph g, propNode<int> at, propNode<double> paths, propNode<double> delta, node v) {
  double sum = 0.0;
  for (w in g.neighbors(v)) {
    if (w.at == v.at + 1) {
      sum += v.paths / w.paths * (1.0 + w.delta);
    }
  }
  return sum;
}

function betweenness(Graph g, propNode<double> between, SetN<g> from) {
  propNode<int> at;
  propNode<double> paths;
  propNode<double> delta;
  g.attachNodeProperty(between = 0.0);
  for (s in from) {
    g.attachNodeProperty(at = -1, paths = 0.0, delta = 0.0);
    s.at = 0;
    s.paths = 1.0;
    int depth = 0;
    bool more = True;
    while (more) {
      more = False;
      forall (v in g.nodes().filter(at == depth)) {
        forall (w in g.neighbors(v)) {
          if (w.at == -1) {
            w.at = depth + 1;
            more = True;
          }
        }
      }
      depth++;
      forall (v in g.nodes().filter(at == depth)) {
        double sum = 0.0;
        for (u in g.nodes_to(v)) {
          if (u.at == depth - 1) {
            sum += u.paths;
          }
        }
        v.paths = sum;
      }
    }
    while (depth > 0) {
      depth--;
      forall (v in g.nodes().filter(at == depth)) {
        v.delta = owed(g, at, paths, delta, v);
        if (v != s) {
          v.between += v.delta;
        }
      }
    }
  }
}
