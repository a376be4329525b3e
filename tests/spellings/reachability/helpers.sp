// fixedPoint; helper functions for the start and for a round; two flag properties; push; a guard that skips loops
function start(Graph g, propNode<bool> reached, propNode<bool> a, node src) {
  g.attachNodeProperty(reached = False, a = False);
  src.reached = True;
  src.a = True;
}
function step(Graph g, propNode<bool> reached, propNode<bool> a, propNode<bool> b) {
  forall (v in g.nodes().filter(a == True)) {
    forall (w in g.neighbors(v)) {
      if (w != v && !w.reached) {
        w.b = True;
        w.reached = True;
      }
    }
  }
}
function main(Graph g, propNode<bool> reached, node src) {
  propNode<bool> a;
  propNode<bool> b;
  start(g, reached, a, src);
  fixedPoint until (finished : !a) {
    g.attachNodeProperty(b = False);
    step(g, reached, a, b);
    a = b;
  }
}
