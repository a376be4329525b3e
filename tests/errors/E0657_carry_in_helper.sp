function f(Graph g, propNode<int> dist, propNode<node> from) {
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v)) {
      offer(dist, from, w, v.dist + 1, v);
    }
  }
}

function offer(propNode<int> dist, propNode<node> from, node w, int d, node v) {
  <w.dist, w.from> = <Min(w.dist, d), v>;
}
