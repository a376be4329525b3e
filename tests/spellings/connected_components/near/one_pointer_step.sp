// As hooking, but once: the least number among the nodes beside, followed once.
function cc(Graph g, propNode<node> component) {
  propNode<node> least;
  forall (v in g.nodes()) {
    v.least = v;
    forall (u in g.inOutNbrs(v)) {
      <v.least> = <Min(v.least, u)>;
    }
  }
  forall (v in g.nodes()) {
    v.component = v.least.least;
  }
}
