// while over a count; two flags that change places; helpers do a round and turn the flags; the candidate has a name
// names: dist=cost src=from
function offers(Graph g, propNode<int> cost, propNode<bool> now, propNode<bool> later, propEdge<int> weight) {
  forall (v in g.nodes()) {
    if (v.now) {
      int mine = v.cost;
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        int through = mine + e.weight;
        <w.cost, w.later> = <Min(w.cost, through), True>;
      }
    }
  }
}
function turned(Graph g, propNode<bool> now, propNode<bool> later) {
  long open = 0;
  forall (v in g.nodes()) {
    v.now = v.later;
    v.later = False;
    if (v.now) {
      open++;
    }
  }
  return open;
}
function cheapest(Graph g, propNode<int> cost, propEdge<int> weight, node from) {
  propNode<bool> now;
  propNode<bool> later;
  g.attachNodeProperty(later = False, now = False, cost = INF);
  from.now = True;
  from.cost = 0;
  long open = 1;
  while (open != 0) {
    offers(g, cost, now, later, weight);
    open = turned(g, now, later);
  }
}
