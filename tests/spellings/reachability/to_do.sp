// while (left > 0); a flag of what is to do, taken back node by node; all reached nodes tell; the scalar is counted
// names: reached=done
function reach(Graph g, propNode<bool> done, node src) {
  propNode<bool> todo;
  g.attachNodeProperty(done = False, todo = False);
  src.todo = True;
  int left = 1;
  while (left > 0) {
    left = 0;
    forall (v in g.nodes().filter(todo)) {
      v.todo = False;
      v.done = True;
    }
    forall (v in g.nodes().filter(done)) {
      forall (w in g.neighbors(v)) {
        if (!w.done) {
          w.todo = True;
          left += 1;
        }
      }
    }
  }
}
