// Names of the program's variables met those of arrays that the compiler adds while it makes the kernel.
function entry(Graph g, propNode<int> dist, propNode<int> parent, propNode<bool> flag, SetN<g> s) {
  forall (chosen in g.nodes().filter(!flag)) {
    forall (w in g.neighbors(chosen)) {
      w.flag = True;
    }
  }
  forall (v in g.nodes()) {
    int dist_lock = v % 5;
    forall (w in g.neighbors(v)) {
      int c = dist_lock - 9;
      <w.dist, w.parent> = <Min(w.dist, c), c * 3>;
    }
  }
}
