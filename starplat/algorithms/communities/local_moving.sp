// Communities by local moving, the first level of Louvain's method: returns their modularity.
//
// Nodes of the same `community` are together; it is called after the smallest of them. Each node begins alone and moves
// to the neighbor's community that raises the modularity most (Blondel, Guillaume, Lambiotte and Lefebvre), until no
// node alone can raise it by more than `tolerance`. A `resolution` above 1 favors small communities. The graph is
// undirected, a loop counts as one arc; no weight is negative.
//
// Nodes move all at once: in turns only to communities of larger names, only to those of smaller names, and as they
// like, but one node to or from a community. Of the first two kinds only rounds that raise the modularity count.
function local_moving(Graph g, propNode<node> community, propEdge<double> weight, double resolution = 1.0, double tolerance = 1e-7, int max_iterations = 1000) {
  propNode<double> degree;
  propNode<node> goal;
  propNode<double> gain;
  propNode<int> smallest;
  forall (v in g.nodes()) {
    v.community = v;
    v.degree = 0.0;
    for (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      v.degree += e.weight;
    }
  }
  double all = Sum(degree);
  all = all > 0.0 ? all : 1.0;
  double best = modularity(g, community, weight, degree, all, resolution);
  bool moving = True;
  for (int round = 0; moving && round < max_iterations; round++) {
    seek(g, community, goal, gain, weight, degree, all, resolution, tolerance, round % 3);
    if (round % 3 == 2) {
      moving = move_apart(g, community, goal, gain);
      best = modularity(g, community, weight, degree, all, resolution);
    } else {
      double now = modularity(g, goal, weight, degree, all, resolution);
      if (now > best) {
        community = goal;
        best = now;
      }
    }
  }
  g.attachNodeProperty(smallest = INF);
  forall (v in g.nodes()) {
    node c = v.community;
    <c.smallest> = <Min(c.smallest, v)>;
  }
  forall (v in g.nodes()) {
    node c = v.community;
    v.goal = c.smallest;
  }
  community = goal;
  return best;
}

// Where every node would like to go, and by how much that raises the modularity. Turn 0 is up, 1 is down.
function seek(Graph g, propNode<node> community, propNode<node> goal, propNode<double> gain, propEdge<double> weight, propNode<double> degree, double all, double resolution, double tolerance, int turn) {
  propNode<double> total;
  g.attachNodeProperty(total = 0.0);
  forall (v in g.nodes()) {
    node c = v.community;
    c.total += v.degree;
  }
  forall (v in g.nodes()) {
    map<node, double> near;
    for (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      near[w.community] += w == v ? 0.0 : e.weight;
    }
    node home = v.community;
    double share = resolution * v.degree / all;
    double stays = near[home] - share * (home.total - v.degree);
    v.goal = home;
    v.gain = tolerance;
    for (c in near) {
      double raise = 2.0 / all * (near[c] - share * c.total - stays);
      bool allowed = turn == 0 ? c > home : turn == 1 ? c < home : c != home;
      if (allowed && raise > v.gain) {
        v.gain = raise;
        v.goal = c;
      }
    }
  }
}

// Moves nodes to their goals, of those that touch a community only that of the largest gain. Whether one moved.
function move_apart(Graph g, propNode<node> community, propNode<node> goal, propNode<double> gain) {
  propNode<double> most;
  propNode<node> mover;
  g.attachNodeProperty(most = 0.0, mover = -1);
  forall (v in g.nodes().filter(goal != v.community)) {
    node from = v.community;
    node to = v.goal;
    <from.most> = <Max(from.most, v.gain)>;
    <to.most> = <Max(to.most, v.gain)>;
  }
  forall (v in g.nodes().filter(goal != v.community)) {
    node from = v.community;
    node to = v.goal;
    if (from.most == v.gain) {
      <from.mover> = <Max(from.mover, v)>;
    }
    if (to.most == v.gain) {
      <to.mover> = <Max(to.mover, v)>;
    }
  }
  bool moved = False;
  forall (v in g.nodes().filter(goal != v.community)) {
    node from = v.community;
    node to = v.goal;
    if (from.mover == v && to.mover == v) {
      v.community = to;
      moved = True;
    }
  }
  return moved;
}

// How much more weight lies within communities than chance would put there.
function modularity(Graph g, propNode<node> community, propEdge<double> weight, propNode<double> degree, double all, double resolution) {
  propNode<double> total;
  g.attachNodeProperty(total = 0.0);
  forall (v in g.nodes()) {
    node c = v.community;
    c.total += v.degree;
  }
  double within = 0.0;
  forall (e in g.edges()) {
    if (e.source.community == e.destination.community) {
      within += e.weight;
    }
  }
  double chance = 0.0;
  forall (c in g.nodes()) {
    chance += c.total * c.total;
  }
  return within / all - resolution * chance / (all * all);
}
