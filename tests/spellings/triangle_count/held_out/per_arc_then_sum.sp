// a helper counts for an arc the common neighbors above its ends; the counts in a property of nodes; a loop adds them up
// names: triangles=return
function above(Graph g, node low, node high) {
  long count = 0;
  for (w in g.neighbors(high).filter(w > high)) {
    if (g.is_an_edge(low, w)) {
      count++;
    }
  }
  return count;
}

function triangles(Graph g) {
  propNode<long> mine;
  g.attachNodeProperty(mine = 0);
  forall (e in g.edges()) {
    node u = e.source;
    node v = e.destination;
    if (u < v) {
      u.mine += above(g, u, v);
    }
  }
  long all = 0;
  for (v in g.nodes()) {
    all = all + v.mine;
  }
  return all;
}
