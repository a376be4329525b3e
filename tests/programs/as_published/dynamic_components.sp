// Connected components that follow a stream of additions; new arcs are looked at one after the other, in a container.
Static label_all(Graph g, propNode<int> comp) {
  forall (v in g.nodes()) {
    v.comp = v;
  }
  propNode<bool> changed;
  g.attachNodeProperty(changed = True);
  fixedPoint until (same : !changed) {
    forall (v in g.nodes().filter(changed)) {
      forall (w in g.inOutNbrs(v)) {
        <w.comp, w.changed> = <Min(w.comp, v.comp), True>;
      }
    }
  }
}

Dynamic follow(Graph g, propNode<int> comp, updates<g> U, int batchSize) {
  label_all(g, comp);
  int batches = 0;
  Batch (U : batchSize) {
    container<container<int>> joined;
    updates<g> fresh = U.currentBatch(1);
    for (u in fresh) {
      int a = u.source, b = u.destination;
      if (a.comp != b.comp) {
        joined[batches].push(a);
        joined[batches].push(b);
      }
    }
    g.updateCSRAdd(fresh);
    for (v in joined[batches++]) {
      int least = v.comp;
      for (w in g.inOutNbrs(v)) {
        least = min(least, w.comp);
      }
      forall (w in g.nodes().filter(comp == v)) {
        w.comp = least;
      }
    }
  }
  return batches;
}
