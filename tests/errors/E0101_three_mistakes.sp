function f(Graph g, int x) {
  x = 3
  forall (v in g.nodes() {
    x = * 4;
  }
}

function h(Graph g, int x) {
  x = 1;
}
