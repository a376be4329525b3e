// do … while; a helper returns the first parent that is reached, or -1; the result is whether there is a parent
// names: reached=seen parent=up
function parent_of(Graph g, propNode<bool> seen, node v) {
  node found = -1;
  for (u in g.nodes_to(v)) {
    if (u.seen) {
      found = u;
      break;
    }
  }
  return found;
}

function reach(Graph g, propNode<bool> seen, propNode<node> up, node src) {
  g.attachNodeProperty(seen = False, up = -1);
  src.seen = True;
  bool more;
  do {
    more = False;
    forall (v in g.nodes().filter(!seen)) {
      node u = parent_of(g, seen, v);
      if (u >= 0) {
        v.up = u;
        v.seen = True;
        more = True;
      }
    }
  } while (more);
}
