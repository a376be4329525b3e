// iterateInBFS and back; sigma pushed; delta pulled from children into a temporary; +=
// names: bc=score sources=roots
function bc(Graph g, propNode<double> score, SetN<g> roots) {
  g.attachNodeProperty(score = 0.0);
  for (s in roots) {
    propNode<double> paths;
    propNode<double> dependency;
    g.attachNodeProperty(paths = 0.0, dependency = 0.0);
    s.paths = 1.0;
    iterateInBFS (v in g.nodes() from s) {
      forall (w in g.neighbors(v)) {
        w.paths += v.paths;
      }
    }
    iterateInReverse (v != s) {
      double sum = 0.0;
      for (w in g.neighbors(v)) {
        sum += v.paths / w.paths * (1.0 + w.dependency);
      }
      v.dependency = sum;
      v.score += sum;
    }
  }
}
