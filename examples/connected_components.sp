// Connected components: `component` is the smallest node of the component, arcs taken both ways.
//
// Every node points to a smaller one of its component or, as its root, to itself. Each round hooks roots that an arc
// joins, the larger to the smaller, and then lets every node point to its root (Shiloach and Vishkin).
function connected_components(Graph g, propNode<node> component) {
  forall (v in g.nodes()) {
    v.component = v;
  }
  bool hooked = True;
  while (hooked) {
    hooked = False;
    forall (e in g.edges()) {
      node a = e.source.component;
      node b = e.destination.component;
      if (a != b) {
        hooked = True;
        <a.component> = <Min(a.component, b)>;
        <b.component> = <Min(b.component, a)>;
      }
    }
    forall (v in g.nodes()) {
      node root = v.component;
      while (root.component != root) {
        root = root.component;
      }
      <v.component> = <Min(v.component, root)>;
    }
  }
}
