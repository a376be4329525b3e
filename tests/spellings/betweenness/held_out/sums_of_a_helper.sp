// iterateInBFS; a helper does one source; shares as (1 + delta) / sigma in a property; the source taken back in the end
// names: bc=score sources=from
function one(Graph g, propNode<double> score, node s) {
  propNode<double> sigma;
  propNode<double> per_path;
  g.attachNodeProperty(sigma = 0.0, per_path = 0.0);
  s.sigma = 1.0;
  iterateInBFS (v in g.nodes() from s) {
    for (w in g.neighbors(v)) {
      w.sigma += v.sigma;
    }
  }
  iterateInReverse {
    double sum = 0.0;
    for (w in g.neighbors(v)) {
      sum += w.per_path;
    }
    v.per_path = 1.0 / v.sigma + sum;
    if (v != s) {
      v.score += v.sigma * sum;
    }
  }
}

function betweenness(Graph g, propNode<double> score, SetN<g> from) {
  g.attachNodeProperty(score = 0.0);
  for (s in from) {
    one(g, score, s);
  }
}
