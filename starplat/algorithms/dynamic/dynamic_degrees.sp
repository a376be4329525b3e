// Degrees of the nodes of a graph that changes, after every batch of updates.
//
// `out_degree` counts the arcs out of a node, `in_degree` those into it; only ends of updates are counted again.
Dynamic dynamic_degrees(Graph g, propNode<int> out_degree, propNode<int> in_degree, updates<g> changes,
                        int batch = 1000) {
  forall (v in g.nodes()) {
    v.out_degree = g.count_outNbrs(v);
    v.in_degree = g.count_inNbrs(v);
  }
  Batch (changes : batch) {
    propNode<bool> touched;
    g.attachNodeProperty(touched = False);
    forall (u in changes.currentBatch()) {
      node a = u.source;
      node b = u.destination;
      a.touched = True;
      b.touched = True;
    }
    g.updateCSRDel(changes);
    g.updateCSRAdd(changes);
    forall (v in g.nodes().filter(touched)) {
      v.out_degree = g.count_outNbrs(v);
      v.in_degree = g.count_inNbrs(v);
    }
  }
}
