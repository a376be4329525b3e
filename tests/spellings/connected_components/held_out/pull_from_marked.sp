// fixedPoint; one flag property; pull from marked nodes around; Min on the own cell
// names: component=lowest
function lowest_around(Graph g, propNode<node> lowest) {
  propNode<bool> new_low;
  forall (v in g.nodes()) { v.lowest = v; }
  g.attachNodeProperty(new_low = True);
  fixedPoint until (calm : !new_low) {
    forall (v in g.nodes()) {
      forall (u in g.inOutNbrs(v).filter(new_low == True)) {
        <v.lowest, v.new_low> = <Min(v.lowest, u.lowest), True>;
      }
    }
  }
}
