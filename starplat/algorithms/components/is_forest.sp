// Whether an undirected graph is a forest: returns True if no path leads back to where it began over other edges.
//
// Then there are as many edges as nodes less components. Loops and parallel edges are cycles.
function is_forest(Graph g) {
  propNode<node> component;
  propNode<bool> frontier;
  forall (v in g.nodes()) {
    v.component = v;
    v.frontier = True;
  }
  bool finished = False;
  fixedPoint until (finished : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.neighbors(v)) {
        <w.component, w.frontier> = <Min(w.component, v.component), True>;
      }
    }
  }
  long components = 0;
  long loops = 0;
  forall (v in g.nodes()) {
    components += v.component == v ? 1 : 0;
    loops += g.is_an_edge(v, v) ? 1 : 0;
  }
  return loops == 0 && components + g.num_edges() / 2 == g.num_nodes();
}
