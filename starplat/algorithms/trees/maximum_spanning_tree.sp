// A maximum spanning tree, or forest: returns its weight; `in_tree` marks one arc of each of its edges.
//
// Borůvka's method: every component chooses its heaviest arc to another one and joins that. Arcs are taken both ways;
// of equally heavy ones the last wins, so that the choices of a round never close a cycle.
function maximum_spanning_tree(Graph g, propEdge<bool> in_tree, propEdge<double> weight) {
  propNode<node> component;
  propNode<node> joins;
  propNode<double> heaviest;
  propNode<edge> choice;
  g.attachEdgeProperty(in_tree = False);
  forall (v in g.nodes()) {
    v.component = v;
    v.joins = v;
  }
  bool growing = True;
  while (growing) {
    growing = False;
    g.attachNodeProperty(heaviest = -INF, choice = -1);
    forall (e in g.edges()) {
      node a = e.source.component;
      node b = e.destination.component;
      if (a != b) {
        <a.heaviest> = <Max(a.heaviest, e.weight)>;
        <b.heaviest> = <Max(b.heaviest, e.weight)>;
      }
    }
    forall (e in g.edges()) {
      node a = e.source.component;
      node b = e.destination.component;
      if (a != b && e.weight == a.heaviest) {
        <a.choice> = <Max(a.choice, e)>;
      }
      if (a != b && e.weight == b.heaviest) {
        <b.choice> = <Max(b.choice, e)>;
      }
    }
    forall (a in g.nodes().filter(choice != -1)) {
      edge e = a.choice;
      node b = e.source.component;
      if (b == a) {
        b = e.destination.component;
      }
      if (b.choice != e || b < a) { // of two that chose each other the smaller stays
        a.joins = b;
      }
      e.in_tree = True;
      growing = True;
    }
    forall (v in g.nodes()) {
      node root = v.component;
      while (root.joins != root) {
        root = root.joins;
      }
      v.component = root;
    }
  }
  double total = 0.0;
  forall (e in g.edges().filter(in_tree)) {
    total += e.weight;
  }
  return total;
}
