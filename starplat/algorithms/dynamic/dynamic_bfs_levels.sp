// Levels of a breadth-first search in a graph that changes, after every batch of updates.
//
// `level` is the least number of arcs on a path from `src`, INF where there is none; `parent` is the node before on such
// a path, -1 for `src` and where there is none. As `dynamic_sssp`, with arcs of length 1.
Dynamic dynamic_bfs_levels(Graph g, propNode<int> level, propNode<node> parent, updates<g> changes, node src,
                           int batch = 1000) {
  propNode<bool> modified;
  g.attachNodeProperty(level = INF, parent = -1, modified = False);
  src.level = 0;
  src.modified = True;
  Incremental(g, level, parent, modified);
  Batch (changes : batch) {
    g.updateCSRDel(changes);
    g.updateCSRAdd(changes);
    follow(g, level, parent, changes);
  }
}

// What has become nearer makes its neighbors nearer.
Incremental(Graph g, propNode<int> level, propNode<node> parent, propNode<bool> modified) {
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified)) {
      forall (w in g.neighbors(v)) {
        <w.level, w.modified, w.parent> = <Min(w.level, v.level + 1), True, v>;
      }
    }
  }
}

// Whose parent is lost is lost and looks for a way; all that look take the nearest way from nodes that are not lost.
function follow(Graph g, propNode<int> level, propNode<node> parent, updates<g> changes) {
  propNode<bool> lost, looking, modified;
  g.attachNodeProperty(lost = False, looking = False, modified = False);
  OnDelete (u in changes.currentBatch(0)) {
    node b = u.destination;
    if (b.parent == u.source) {
      b.lost = True;
    }
  }
  OnAdd (u in changes.currentBatch(1)) {
    node a = u.source;
    node b = u.destination;
    if (a.level + 1 < b.level) {
      b.looking = True;
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
    v.level = INF;
    v.parent = -1;
    v.looking = True;
  }
  propNode<long> nearest;
  long n = g.num_nodes();
  forall (v in g.nodes().filter(looking)) {
    long best = INF;
    for (u in g.nodes_to(v)) {
      if (u.level < INF) {
        best = min(best, (u.level + 1) * n + u);
      }
    }
    v.nearest = best;
  }
  forall (v in g.nodes().filter(looking)) {
    if (v.nearest < INF && v.nearest / n < v.level) {
      v.level = int(v.nearest / n);
      v.parent = int(v.nearest % n);
      v.modified = True;
    }
  }
  Incremental(g, level, parent, modified);
}
