// fixedPoint; one flag property; pull from in-neighbors that are flagged; Min
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, modified = False);
  src.dist = 0;
  src.modified = True;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes()) {
      forall (u in g.nodes_to(v).filter(modified == True)) {
        edge e = g.get_edge(u, v);
        <v.dist, v.modified> = <Min(v.dist, u.dist + e.weight), True>;
      }
    }
  }
}
