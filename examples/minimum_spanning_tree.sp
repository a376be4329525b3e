// A minimum spanning tree, or forest: returns its weight; `in_tree` marks one arc of each of its edges.
//
// Borůvka's method: every component chooses its lightest arc to another one and joins that. Arcs are taken both ways;
// of equally light ones the last wins, so that the choices of a round never close a cycle. Where nodes have many arcs,
// the lightest come first, up to four for each node: few of the others join two components when their turn comes.
function minimum_spanning_tree(Graph g, propEdge<bool> in_tree, propEdge<int> weight) {
  float limit = INF;
  float mean = INF;
  long light = g.num_edges();
  bool many = light > 4 * g.num_nodes();
  while (many) { // takes those up to the mean, and so on
    limit = mean;
    light = 0;
    long sum = 0;
    forall (e in g.edges().filter(weight <= limit)) {
      sum += e.weight;
      light += 1;
    }
    mean = float(sum) / light;
    many = light > 4 * g.num_nodes() && mean < limit;
  }
  propNode<node> component;
  propNode<node> joins;
  propNode<int> lightest;
  propNode<edge> choice;
  propEdge<bool> open; // it may join two components
  g.attachEdgeProperty(in_tree = False);
  forall (e in g.edges()) {
    e.open = e.weight <= limit;
  }
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
      if (b.choice != e || b < a) { // of two that chose each other the smaller stays
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
    if (!growing && limit < INF) {
      forall (e in g.edges()) {
        e.open = !(e.weight <= limit);
      }
      limit = INF;
      growing = True;
    }
  }
  return total;
}
