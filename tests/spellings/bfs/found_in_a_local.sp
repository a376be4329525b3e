// do … while; two flag properties; pull: a local keeps the first flagged parent; level and parent are stored behind the row
// names: level=far parent=from src=root
function tree(Graph g, propNode<int> far, propNode<node> from, node root) {
  propNode<bool> edge_of_tree;
  propNode<bool> joins;
  g.attachNodeProperty(far = INF, from = -1, edge_of_tree = False, joins = False);
  root.far = 0;
  root.edge_of_tree = True;
  int round = 0;
  bool again;
  do {
    again = False;
    round = round + 1;
    forall (v in g.nodes()) {
      if (v.far == INF) {
        node found = -1;
        for (u in g.nodes_to(v)) {
          if (u.edge_of_tree && found == -1) {
            found = u;
          }
        }
        if (found != -1) {
          v.far = round;
          v.from = found;
          v.joins = True;
          again = True;
        }
      }
    }
    edge_of_tree = joins;
    g.attachNodeProperty(joins = False);
  } while (again);
}
