// fixedPoint; one flag property; pull from marked in-neighbors; Min on the own cell; the sum turned round
// names: dist=far src=home
function sssp(Graph g, propNode<int> far, propEdge<int> weight, node home) {
  propNode<bool> fresh;
  g.attachNodeProperty(far = INF, fresh = False);
  home.far = 0;
  home.fresh = True;
  fixedPoint until (stable : !fresh) {
    forall (v in g.nodes()) {
      forall (u in g.nodes_to(v).filter(fresh == True)) {
        edge e = g.get_edge(u, v);
        <v.far, v.fresh> = <Min(v.far, e.weight + u.far), True>;
      }
    }
  }
}
