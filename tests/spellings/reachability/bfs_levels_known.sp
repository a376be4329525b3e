// iterateInBFS gives numbers of levels; the result is asked of them in the end
function reach(Graph g, propNode<bool> reached, node src) {
  propNode<int> depth;
  g.attachNodeProperty(depth = -1);
  src.depth = 0;
  iterateInBFS (v in g.nodes() from src) {
    forall (w in g.neighbors(v)) {
      w.depth = v.depth + 1;
    }
  }
  forall (v in g.nodes()) {
    v.reached = v.depth != -1;
  }
}
