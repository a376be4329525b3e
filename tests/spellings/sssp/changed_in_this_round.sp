// while; the round in which a node changed last says who goes on; push; Min and the round together
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<int> changed;
  g.attachNodeProperty(dist = INF, changed = -1);
  src.dist = 0;
  src.changed = 0;
  int round = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(changed == round)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (v.dist + e.weight < w.dist) {
          w.dist = Min(w.dist, v.dist + e.weight);
          w.changed = round + 1;
          more = True;
        }
      }
    }
    round++;
  }
}
