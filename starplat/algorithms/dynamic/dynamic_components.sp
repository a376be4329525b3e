// Connected components of a graph that changes, after every batch of updates; arcs connect both ways.
//
// `comp` is the same for the nodes of a component, the number of its first node, counted from 0; `parent` leads along
// arcs to that node, where it is -1. A node whose arc to its parent is deleted takes a neighbor that has had its label
// for longer, as no node below it has, and what they all have stays. Without one it is lost, and its children look for
// other parents (Even and Shiloach, "An on-line edge-deletion problem", J. ACM, 1981). Lost nodes, and those that an
// added arc leads to, take the least label around them, which spreads.
Dynamic dynamic_components(Graph g, propNode<int> comp, propNode<node> parent, updates<g> changes, int batch = 1000) {
  propNode<int> since;
  g.attachNodeProperty(parent = -1, since = 0);
  forall (v in g.nodes()) {
    v.comp = v;
  }
  int now = follow(g, comp, parent, since, changes, 0);
  Batch (changes : batch) {
    g.updateCSRDel(changes);
    g.updateCSRAdd(changes);
    now = follow(g, comp, parent, since, changes, now);
  }
}

// Brings labels up to the graph as it is; `since` is the round in which a node got its label, `begin` the last one.
function follow(Graph g, propNode<int> comp, propNode<node> parent, propNode<int> since, updates<g> changes,
                int begin) {
  propNode<bool> cut, lost, looking;
  g.attachNodeProperty(cut = False, lost = False, looking = begin == 0);
  OnDelete (u in changes.currentBatch(0)) {
    node a = u.source;
    node b = u.destination;
    if (b.parent == a) {
      b.cut = True;
    }
    if (a.parent == b) {
      a.cut = True;
    }
  }
  OnAdd (u in changes.currentBatch(1)) {
    node a = u.source;
    node b = u.destination;
    if (a.comp < b.comp) {
      b.looking = True;
    }
    if (b.comp < a.comp) {
      a.looking = True;
    }
  }
  propNode<bool> fresh = cut;
  fixedPoint until (all_hang : !fresh) {
    forall (v in g.nodes().filter(fresh)) {
      int best = -1;
      for (u in g.neighbors(v)) {
        if (!u.lost && u.comp == v.comp && u.since < v.since) {
          best = max(best, int(u));
        }
      }
      v.parent = best;
    }
    forall (v in g.nodes().filter(fresh && parent == -1)) {
      int best = -1;
      for (u in g.nodes_to(v)) {
        if (!u.lost && u.comp == v.comp && u.since < v.since) {
          best = max(best, int(u));
        }
      }
      v.parent = best;
    }
    forall (v in g.nodes().filter(fresh)) {
      if (v.parent == -1) {
        v.lost = True;
      }
    }
    forall (v in g.nodes().filter(fresh)) {
      forall (w in g.neighbors(v)) {
        if (v.lost && w.parent == v) {
          w.fresh = True;
        }
      }
    }
    forall (v in g.nodes().filter(fresh)) {
      forall (w in g.nodes_to(v)) {
        if (v.lost && w.parent == v) {
          w.fresh = True;
        }
      }
    }
  }
  forall (v in g.nodes().filter(lost)) {
    v.comp = v;
    v.looking = True;
  }
  propNode<long> least;
  long n = g.num_nodes();
  int now = begin;
  fixedPoint until (finished : !looking) {
    now += 2;
    forall (v in g.nodes().filter(looking)) {
      long best = INF;
      for (u in g.neighbors(v)) {
        best = min(best, u.comp * n + u);
      }
      v.least = best;
    }
    forall (v in g.nodes().filter(looking)) {
      if (v.least / n < v.comp) {
        v.comp = int(v.least / n);
        v.parent = int(v.least % n);
        v.since = now - 1;
      }
    }
    forall (v in g.nodes().filter(looking)) {
      long best = INF;
      for (u in g.nodes_to(v)) {
        best = min(best, u.comp * n + u);
      }
      v.least = best;
    }
    forall (v in g.nodes().filter(looking)) {
      if (v.least / n < v.comp) {
        v.comp = int(v.least / n);
        v.parent = int(v.least % n);
        v.since = now;
      }
    }
    forall (v in g.nodes().filter(looking)) {
      forall (w in g.neighbors(v)) {
        if (v.comp < w.comp) {
          w.looking = True;
        }
      }
    }
    forall (v in g.nodes().filter(looking)) {
      forall (w in g.nodes_to(v)) {
        if (v.comp < w.comp) {
          w.looking = True;
        }
      }
    }
  }
  return now;
}
