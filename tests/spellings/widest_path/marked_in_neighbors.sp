// fixedPoint; one flag property; pull from in-neighbors that are flagged; Max
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(width = 0, modified = False);
  src.width = INF;
  src.modified = True;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes()) {
      forall (u in g.nodes_to(v).filter(modified == True)) {
        edge e = g.get_edge(u, v);
        <v.width, v.modified> = <Max(v.width, min(u.width, e.weight)), True>;
      }
    }
  }
}
