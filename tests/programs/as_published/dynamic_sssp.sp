// Shortest paths that follow a stream of updates: what hung on deleted arcs is found again, what is added spreads.
Static fresh(Graph g, propNode<int> dist, propNode<int> parent, propEdge<int> weight, int src) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, parent = -1, modified = False);
  src.dist = 0;
  src.modified = True;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.modified, w.parent> = <Min(w.dist, v.dist + e.weight), True, v>;
      }
    }
  }
}

Incremental(Graph g, propNode<int> dist, propNode<int> parent, propEdge<int> weight, propNode<bool> modified) {
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.modified, w.parent> = <Min(w.dist, v.dist + e.weight), True, v>;
      }
    }
  }
}

Decremental(Graph g, propNode<int> dist, propNode<int> parent, propEdge<int> weight, propNode<bool> modified) {
  bool settled = False;
  while (!settled) {
    settled = True;
    forall (v in g.nodes().filter(modified == False)) {
      int up = v.parent;
      if (up > -1 && up.modified) {
        v.dist = INF;
        v.parent = -1;
        v.modified = True;
        settled = False;
      }
    }
  }
  bool stable = False;
  while (!stable) {
    stable = True;
    forall (v in g.nodes().filter(modified)) {
      for (u in g.nodes_to(v)) {
        edge e = g.get_edge(u, v);
        if (u.dist != INF && v.dist > u.dist + e.weight) {
          v.dist = u.dist + e.weight;
          v.parent = u;
          stable = False;
        }
      }
    }
  }
}

Dynamic follow(Graph g, propNode<int> dist, propNode<int> parent, propEdge<int> weight, updates<g> U, int batchSize, int src) {
  fresh(g, dist, parent, weight, src);
  Batch (U : batchSize) {
    propNode<bool> lost, better;
    g.attachNodeProperty(lost = False, better = False);
    OnDelete (u in U.currentBatch(0)) : {
      int from_ = u.source;
      int to_ = u.destination;
      if (to_.parent == from_) {
        to_.dist = INF;
        to_.parent = -1;
        to_.lost = True;
      }
    }
    g.updateCSRDel(U);
    Decremental(g, dist, parent, weight, lost);
    OnAdd (u in U.currentBatch(1)) : {
      int from_ = u.source;
      int to_ = u.destination;
      int length = u.weight;
      if (from_.dist != INF && to_.dist > from_.dist + length) {
        from_.better = True;
      }
    }
    g.updateCSRAdd(U);
    Incremental(g, dist, parent, weight, better);
  }
}
