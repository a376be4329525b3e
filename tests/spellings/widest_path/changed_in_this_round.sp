// while; the round in which a node changed last says who goes on; push; Max
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<int> changed;
  g.attachNodeProperty(width = 0, changed = -1);
  src.width = INF;
  src.changed = 0;
  int round = 0;
  bool more = True;
  while (more) {
    more = False;
    forall (v in g.nodes().filter(changed == round)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        int through = min(v.width, e.weight);
        if (through > w.width) {
          w.width = Max(w.width, through);
          w.changed = round + 1;
          more = True;
        }
      }
    }
    round++;
  }
}
