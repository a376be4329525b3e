// while; values in two buffers; each node takes the best of its in-neighbors in a local; no flag on nodes
// names: width=pipe src=well
function flow_width(Graph g, propNode<int> pipe, propEdge<int> weight, node well) {
  propNode<int> fresh;
  g.attachNodeProperty(pipe = 0);
  well.pipe = INF;
  bool wider = True;
  while (wider) {
    wider = False;
    forall (v in g.nodes()) {
      int best = v.pipe;
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        int here = min(u.pipe, e.weight);
        if (here > best) {
          best = here;
        }
      }
      v.fresh = best;
    }
    forall (v in g.nodes()) {
      if (v.fresh != v.pipe) {
        v.pipe = v.fresh;
        wider = True;
      }
    }
  }
}
