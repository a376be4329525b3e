// Shortest paths from one node in a graph that changes, after every batch of updates.
//
// `dist` is the least sum of weights along a path from `src`, INF where there is none; `parent` is the node before on
// such a path, -1 for `src` and where there is none. Weights must not be negative. A deletion makes the nodes lose
// their distance whose path led over it. They look for the nearest way from the others; of an added arc
// its end is told. What becomes nearer spreads. Ramalingam and Reps, "An incremental algorithm for a generalization of
// the shortest-path problem", J. Algorithms, 1996.
Dynamic dynamic_sssp(Graph g, propNode<int> dist, propNode<node> parent, propEdge<int> weight, updates<g> changes,
                     node src, int batch = 1000) {
  propNode<bool> modified;
  g.attachNodeProperty(dist = INF, parent = -1, modified = False);
  src.dist = 0;
  src.modified = True;
  Incremental(g, dist, parent, weight, modified);
  Batch (changes : batch) {
    g.updateCSRDel(changes);
    g.updateCSRAdd(changes);
    follow(g, dist, parent, weight, changes);
  }
}

// What has become nearer makes its neighbors nearer.
Incremental(Graph g, propNode<int> dist, propNode<node> parent, propEdge<int> weight, propNode<bool> modified) {
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.modified, w.parent> = <Min(w.dist, v.dist + e.weight), True, v>;
      }
    }
  }
}

// Whose parent is lost is lost and looks for the nearest way from nodes that are not; each added arc offers its own.
function follow(Graph g, propNode<int> dist, propNode<node> parent, propEdge<int> weight, updates<g> changes) {
  propNode<bool> lost, looking, modified;
  propNode<long> nearest;
  g.attachNodeProperty(lost = False, looking = False, modified = False, nearest = INF);
  long n = g.num_nodes();
  OnDelete (u in changes.currentBatch(0)) {
    node b = u.destination;
    if (b.parent == u.source) {
      b.lost = True;
    }
  }
  propNode<bool> fresh = lost;
  fixedPoint until (all_found : !fresh) {
    forall (v in g.nodes().filter(fresh)) {
      forall (w in g.neighbors(v)) {
        if (w.parent == v && !w.lost) {
          w.lost = True;
          w.fresh = True;
        }
      }
    }
  }
  forall (v in g.nodes().filter(lost)) {
    v.dist = INF;
    v.parent = -1;
  }
  OnAdd (u in changes.currentBatch(1)) {
    node a = u.source;
    node b = u.destination;
    if (a.dist + u.weight < b.dist) {
      long way = (a.dist + u.weight) * n + a;
      <b.nearest, b.looking> = <Min(b.nearest, way), True>;
    }
  }
  forall (v in g.nodes().filter(lost)) {
    long best = INF;
    for (u in g.nodes_to(v)) {
      if (u.dist < INF) {
        edge e = g.get_edge(u, v);
        best = min(best, (u.dist + e.weight) * n + u);
      }
    }
    v.nearest = best;
    v.looking = True;
  }
  forall (v in g.nodes().filter(looking)) {
    if (v.nearest < INF && v.nearest / n < v.dist) {
      v.dist = int(v.nearest / n);
      v.parent = int(v.nearest % n);
      v.modified = True;
    }
  }
  Incremental(g, dist, parent, weight, modified);
}
