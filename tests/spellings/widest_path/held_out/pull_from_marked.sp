// fixedPoint; one flag property; pull from marked in-neighbors; Max on the own cell
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<bool> wider;
  g.attachNodeProperty(width = 0, wider = False);
  src.width = INF;
  src.wider = True;
  fixedPoint until (settled : !wider) {
    forall (v in g.nodes()) {
      forall (u in g.nodes_to(v).filter(wider == True)) {
        edge e = g.get_edge(u, v);
        <v.width, v.wider> = <Max(v.width, min(u.width, e.weight)), True>;
      }
    }
  }
}
