// counted while; as many rounds as there are nodes at most, left early by a flag; push from flagged nodes
// names: dist=cost src=root
function bellman_ford(Graph g, propNode<int> cost, propEdge<int> weight, node root) {
  propNode<bool> changed;
  g.attachNodeProperty(cost = INF, changed = False);
  root.cost = 0;
  root.changed = True;
  int round = 0;
  bool more = True;
  while (more && round < g.num_nodes()) {
    more = False;
    propNode<bool> next;
    g.attachNodeProperty(next = False);
    forall (u in g.nodes().filter(changed)) {
      forall (v in g.neighbors(u)) {
        edge e = g.get_edge(u, v);
        int through = u.cost + e.weight;
        if (through < v.cost) {
          <v.cost, v.next, more> = <Min(v.cost, through), True, True>;
        }
      }
    }
    changed = next;
    round++;
  }
}
