// do … while; pull: a node looks at in-neighbors that fell in the round before; a number of those that fall
// names: src=from
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node from) {
  propNode<bool> fell;
  propNode<bool> falls;
  g.attachNodeProperty(dist = INF, fell = False);
  from.dist = 0;
  from.fell = True;
  int many = 0;
  do {
    many = 0;
    g.attachNodeProperty(falls = False);
    forall (v in g.nodes()) {
      int best = v.dist;
      for (u in g.nodes_to(v).filter(fell)) {
        edge e = g.get_edge(u, v);
        best = min(best, u.dist + e.weight);
      }
      if (best < v.dist) {
        v.dist = best;
        v.falls = True;
        many++;
      }
    }
    fell = falls;
  } while (many > 0);
}
