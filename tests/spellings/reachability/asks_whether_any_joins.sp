// while; a round first asks whether an arc leads out of the reached nodes, then marks all ends of such arcs; no flags of rounds
// names: src=first
function closure(Graph g, propNode<bool> reached, node first) {
  g.attachNodeProperty(reached = False);
  first.reached = True;
  bool leads_out = True;
  while (leads_out) {
    leads_out = False;
    forall (e in g.edges()) {
      node u = e.source;
      node v = e.destination;
      if (u.reached && !v.reached) {
        leads_out = True;
      }
    }
    forall (v in g.nodes().filter(reached)) {
      forall (w in g.neighbors(v)) {
        if (!w.reached) {
          w.reached = True;
        }
      }
    }
  }
}
