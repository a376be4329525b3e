// while on a count; colors 0, 1, 2 as the paper has them; push; the color of a node is changed by itself
// names: level=d src=s
function bfs(Graph g, propNode<int> d, node s) {
  propNode<int> color;
  propNode<int> turn;
  forall (v in g.nodes()) {
    v.d = INF;
    v.color = 0;
    v.turn = 0;
  }
  s.d = 0;
  s.color = 1;
  int step = 0;
  long gray = 1;
  while (gray > 0) {
    gray = 0;
    forall (u in g.nodes().filter(color == 1)) {
      forall (w in g.neighbors(u)) {
        if (w.color == 0) {
          w.turn = 1;
        }
      }
      u.color = 2;
    }
    step = step + 1;
    forall (v in g.nodes()) {
      if (v.turn == 1) {
        v.turn = 0;
        if (v.color == 0) {
          v.color = 1;
          v.d = step;
          gray += 1;
        }
      }
    }
  }
}
