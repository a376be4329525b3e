// A maximum flow from `src` to `sink`: returns its value; `flow` is how much goes along every arc, at most its weight.
//
// What comes to a node leaves it, but for the two. `source_side` marks the nodes that `src` is cut off from the sink
// with: the arcs from them to the others are a minimum cut, full and together as wide as the flow. Weights are whole
// numbers, not negative. Any directed graph, parallel arcs and loops too; an edge of an undirected one is two arcs, each
// of its width. From a node to itself nothing flows, and nothing is cut.
//
// Pushes what a node has too much to nodes one lower, and lifts nodes that have none (Goldberg and Tarjan), all at once.
// Now and then the heights are set anew to the number of arcs to the sink, or beyond n to the source (Cherkassky and
// Goldberg).
function maximum_flow(Graph g, propEdge<long> flow, propNode<bool> source_side, propEdge<long> weight, node src, node sink) {
  propNode<long> excess;
  propNode<int> height;
  propNode<int> height_nxt;
  propEdge<long> forth;
  propEdge<long> back;
  g.attachEdgeProperty(flow = 0, forth = 0, back = 0);
  g.attachNodeProperty(excess = 0, height = 0);
  forall (w in g.neighbors(src).filter(w != src && src != sink)) {
    edge e = g.get_edge(src, w);
    e.flow = e.weight;
    w.excess += e.weight;
  }
  src.excess = 0;
  long active = 1;
  int rounds = 0;
  while (active > 0) {
    if (rounds % 32 == 0) {
      lift_all(g, flow, weight, height, src, sink);
    }
    rounds += 1;
    push(g, flow, weight, excess, height, forth, back, src, sink);
    lift(g, flow, weight, excess, height, height_nxt, src, sink);
    active = 0;
    forall (v in g.nodes().filter(excess > 0 && v != src && v != sink)) {
      active += 1;
    }
  }
  lift_all(g, flow, weight, height, src, sink);
  forall (v in g.nodes()) {
    v.source_side = v.height >= g.num_nodes() && src != sink;
  }
  return sink.excess;
}

// Every node with excess sends it along arcs with room, and back along arcs with flow, to nodes one lower.
function push(Graph g, propEdge<long> flow, propEdge<long> weight, propNode<long> excess, propNode<int> height, propEdge<long> forth, propEdge<long> back, node src, node sink) {
  propNode<long> kept;
  forall (v in g.nodes()) {
    v.kept = v.excess;
    bool active = v.excess > 0 && v != src && v != sink;
    for (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      e.forth = active && v.height == w.height + 1 ? min(v.kept, e.weight - e.flow) : 0;
      v.kept -= e.forth;
    }
    for (u in g.nodes_to(v)) {
      edge e = g.get_edge(u, v);
      e.back = active && v.height == u.height + 1 ? min(v.kept, e.flow) : 0;
      v.kept -= e.back;
    }
  }
  excess = kept;
  forall (e in g.edges()) {
    node u = e.source;
    node v = e.destination;
    e.flow += e.forth - e.back;
    u.excess += e.back;
    v.excess += e.forth;
  }
}

// Every node with excess and no lower node to send it to rises above the lowest that it could send it to.
function lift(Graph g, propEdge<long> flow, propEdge<long> weight, propNode<long> excess, propNode<int> height, propNode<int> height_nxt, node src, node sink) {
  height_nxt = height;
  forall (v in g.nodes().filter(excess > 0 && v != src && v != sink)) {
    int lowest = INF;
    for (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      if (e.flow < e.weight && w != v) {
        lowest = min(lowest, w.height);
      }
    }
    for (u in g.nodes_to(v)) {
      edge e = g.get_edge(u, v);
      if (e.flow > 0 && u != v) {
        lowest = min(lowest, u.height);
      }
    }
    if (lowest >= v.height) {
      v.height_nxt = lowest + 1;
    }
  }
  height = height_nxt;
}

// Sets every height to the number of arcs with room to the sink, where there is no way to n more than to `src`.
function lift_all(Graph g, propEdge<long> flow, propEdge<long> weight, propNode<int> height, node src, node sink) {
  propNode<int> to_sink;
  propNode<int> to_src;
  int n = g.num_nodes();
  count_steps(g, flow, weight, to_sink, sink);
  count_steps(g, flow, weight, to_src, src);
  forall (v in g.nodes()) {
    v.height = v.to_sink < INF ? v.to_sink : v.to_src < INF ? n + v.to_src : 2 * n;
  }
  src.height = n;
}

// The number of arcs with room, or back along arcs with flow, from every node to one.
function count_steps(Graph g, propEdge<long> flow, propEdge<long> weight, propNode<int> steps, node end) {
  propNode<bool> frontier;
  g.attachNodeProperty(steps = INF, frontier = False);
  end.steps = 0;
  end.frontier = True;
  bool finished = False;
  fixedPoint until (finished : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        if (e.flow < e.weight) {
          <u.steps, u.frontier> = <Min(u.steps, v.steps + 1), True>;
        }
      }
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (e.flow > 0) {
          <w.steps, w.frontier> = <Min(w.steps, v.steps + 1), True>;
        }
      }
    }
  }
}
