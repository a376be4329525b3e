// A minimum spanning tree, whatever the type of weights: every component chooses the last of its lightest arcs.
function minimum_spanning_tree(Graph g, propEdge<bool> in_tree, propEdge<int> weight) {
  propNode<node> component;
  propNode<node> joins;
  propNode<int> lightest;
  propNode<edge> choice;
  propEdge<bool> open;
  g.attachEdgeProperty(in_tree = False);
  g.attachEdgeProperty(open = True);
  forall (v in g.nodes()) {
    v.component = v;
    v.joins = v;
  }
  long total = 0;
  bool growing = True;
  while (growing) {
    growing = False;
    g.attachNodeProperty(lightest = INF, choice = -1);
    forall (e in g.edges().filter(open)) {
      node a = e.source.component;
      node b = e.destination.component;
      if (a == b) {
        e.open = False;
      } else {
        <a.lightest> = <Min(a.lightest, e.weight)>;
        <b.lightest> = <Min(b.lightest, e.weight)>;
      }
    }
    forall (e in g.edges().filter(open)) {
      node a = e.source.component;
      node b = e.destination.component;
      if (e.weight == a.lightest) {
        <a.choice> = <Max(a.choice, e)>;
      }
      if (e.weight == b.lightest) {
        <b.choice> = <Max(b.choice, e)>;
      }
    }
    forall (a in g.nodes().filter(choice != -1)) {
      edge e = a.choice;
      node b = e.source.component;
      if (b == a) {
        b = e.destination.component;
      }
      if (b.choice != e || b < a) {
        a.joins = b;
        e.in_tree = True;
        total += e.weight;
        growing = True;
      }
    }
    forall (v in g.nodes()) {
      node root = v.component;
      while (root.joins != root) {
        root = root.joins;
      }
      v.component = root;
    }
  }
  return total;
}
