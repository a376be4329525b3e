// fixedPoint; helper functions for the start, for a round and for a value; one flag property; push; Min
// names: src=origin
function begin(Graph g, propNode<int> dist, propNode<bool> hot, node origin) {
  g.attachNodeProperty(dist = INF, hot = False);
  origin.dist = 0;
  origin.hot = True;
}
function along(int so_far, int step) {
  return so_far + step;
}
function main(Graph g, propNode<int> dist, propEdge<int> weight, node origin) {
  propNode<bool> hot;
  begin(g, dist, hot, origin);
  fixedPoint until (cold : !hot) {
    forall (v in g.nodes().filter(hot == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.hot> = <Min(w.dist, along(v.dist, e.weight)), True>;
      }
    }
  }
}
