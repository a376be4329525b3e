// A cycle of a directed graph: returns its number of arcs, 0 if there is none; `in_cycle` marks them.
//
// Takes away, again and again, the nodes that no node left leads to (Kahn). Each node left has such a node before it;
// going back from it as many steps as there are nodes, doubled in each round, ends on a cycle. A loop is a cycle.
function find_cycle(Graph g, propEdge<bool> in_cycle) {
  propNode<int> missing;
  propNode<bool> taken;
  propNode<bool> free;
  propNode<node> before;
  propNode<node> back;
  propNode<node> back_nxt;
  g.attachEdgeProperty(in_cycle = False);
  g.attachNodeProperty(taken = False, free = False, before = -1);
  forall (v in g.nodes()) {
    v.missing = g.count_inNbrs(v);
  }
  long now = 1;
  while (now > 0) {
    now = 0;
    forall (v in g.nodes().filter(!taken && missing == 0)) {
      v.free = True;
      v.taken = True;
      now += 1;
    }
    forall (v in g.nodes().filter(free)) {
      v.free = False;
      forall (w in g.neighbors(v)) {
        w.missing -= 1;
      }
    }
  }
  int last = -1;
  forall (v in g.nodes().filter(!taken)) {
    for (u in g.nodes_to(v).filter(!taken)) {
      v.before = u;
    }
    v.back = v.before;
    last = max(last, v);
  }
  for (long steps = 1; steps < g.num_nodes(); steps += steps) {
    forall (v in g.nodes().filter(!taken)) {
      node u = v.back;
      v.back_nxt = u.back;
    }
    back = back_nxt;
  }
  int length = 0;
  forall (v in g.nodes().filter(v == last)) {
    node start = v.back;
    node w = start;
    bool closed = False;
    while (!closed) {
      node u = w.before;
      edge e = g.get_edge(u, w);
      e.in_cycle = True;
      length += 1;
      w = u;
      closed = w == start;
    }
  }
  return length;
}
