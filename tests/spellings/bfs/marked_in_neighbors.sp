// fixedPoint; one flag property; pull from in-neighbors that are flagged; Min
function bfs(Graph g, propNode<int> level, node src) {
  propNode<bool> active;
  g.attachNodeProperty(level = INF, active = False);
  src.level = 0;
  src.active = True;
  fixedPoint until (done : !active) {
    forall (v in g.nodes()) {
      forall (u in g.nodes_to(v).filter(active == True)) {
        <v.level, v.active> = <Min(v.level, u.level + 1), True>;
      }
    }
  }
}
