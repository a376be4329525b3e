// over nodes; a helper counts the common neighbors above the greater end of an arc; a sum per node in a property, added up at the end
// names: triangles=return
function above(Graph g, node u, node v) {
  long found = 0;
  for (w in g.neighbors(v)) {
    if (w > v && g.check_if_nbr(u, w)) {
      found += 1;
    }
  }
  return found;
}

function triangles(Graph g) {
  propNode<long> mine;
  g.attachNodeProperty(mine = 0);
  forall (u in g.nodes()) {
    for (v in g.neighbors(u)) {
      if (v > u) {
        u.mine += above(g, u, v);
      }
    }
  }
  long total = 0;
  forall (u in g.nodes()) {
    total += u.mine;
  }
  return total;
}
