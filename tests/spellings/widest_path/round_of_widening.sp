// do … while; the number of the round in which a node got wider; push; Max that carries it; a count of those wider
// names: width=wide src=s
function widest(Graph g, propNode<int> wide, propEdge<int> weight, node s) {
  propNode<int> wider_in;
  g.attachNodeProperty(wide = 0, wider_in = -1);
  s.wide = INF;
  s.wider_in = 0;
  int round = 0;
  long many = 0;
  do {
    forall (v in g.nodes().filter(wider_in == round)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.wide, w.wider_in> = <Max(w.wide, min(v.wide, e.weight)), round + 1>;
      }
    }
    round++;
    many = 0;
    forall (v in g.nodes().filter(wider_in == round)) {
      many++;
    }
  } while (many > 0);
}
