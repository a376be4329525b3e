// fixedPoint; helper functions for a value and for a round; one flag property; push; Max; ternary for the lesser
// names: width=w
function lesser(int a, int b) {
  return a < b ? a : b;
}
function spread(Graph g, propNode<int> w, propNode<bool> act, propNode<bool> act2, propEdge<int> weight) {
  forall (v in g.nodes().filter(act)) {
    forall (n in g.neighbors(v)) {
      edge e = g.get_edge(v, n);
      <n.w, n.act2> = <Max(n.w, lesser(v.w, e.weight)), True>;
    }
  }
}
function main(Graph g, propNode<int> w, propEdge<int> weight, node src) {
  propNode<bool> act;
  propNode<bool> act2;
  g.attachNodeProperty(w = 0, act = False, act2 = False);
  src.w = INF;
  src.act = True;
  fixedPoint until (done : !act) {
    spread(g, w, act, act2, weight);
    g.attachNodeProperty(act = act2, act2 = False);
  }
}
