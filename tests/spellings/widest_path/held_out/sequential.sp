// while over a negated flag; sequential loops; if in place of Max; a flag that is cleared as it is taken
// names: width=fat src=root
function f(Graph g, propNode<int> fat, propEdge<int> weight, node root) {
  propNode<bool> todo;
  g.attachNodeProperty(fat = 0, todo = False);
  root.fat = INF;
  root.todo = True;
  bool idle = False;
  while (!idle) {
    idle = True;
    for (x in g.nodes()) {
      if (x.todo) {
        x.todo = False;
        for (y in g.neighbors(x)) {
          edge xy = g.get_edge(x, y);
          int c = x.fat < xy.weight ? x.fat : xy.weight;
          if (c > y.fat) {
            y.fat = c;
            y.todo = True;
            idle = False;
          }
        }
      }
    }
  }
}
