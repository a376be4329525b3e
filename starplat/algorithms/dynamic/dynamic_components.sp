// Connected components of a graph that changes, after every batch of updates; arcs connect both ways.
//
// `comp` is the same for the nodes of a component, the number of its first node, counted from 0; `parent` leads along
// arcs to that node, where it is -1. Nodes whose way leads over a deleted arc take the label of a neighbor that keeps
// its own, or become components of their own; the lesser labels then spread, as over arcs that are added.
Dynamic dynamic_components(Graph g, propNode<int> comp, propNode<node> parent, updates<g> changes, int batch = 1000) {
  propNode<bool> active;
  g.attachNodeProperty(parent = -1, active = True);
  forall (v in g.nodes()) {
    v.comp = v;
  }
  Incremental(g, comp, parent, active);
  Batch (changes : batch) {
    propNode<bool> lost;
    g.attachNodeProperty(lost = False, active = False);
    OnDelete (u in changes.currentBatch(0)) {
      node a = u.source;
      node b = u.destination;
      if (b.parent == a) {
        b.lost = True;
      }
      if (a.parent == b) {
        a.lost = True;
      }
    }
    g.updateCSRDel(changes);
    g.updateCSRAdd(changes);
    Decremental(g, comp, parent, lost, active);
    OnAdd (u in changes.currentBatch(1)) {
      node a = u.source;
      node b = u.destination;
      if (a.comp != b.comp) {
        a.active = True;
        b.active = True;
      }
    }
    Incremental(g, comp, parent, active);
  }
}

// The lesser label of two neighbors becomes that of both.
Incremental(Graph g, propNode<int> comp, propNode<node> parent, propNode<bool> active) {
  fixedPoint until (finished : !active) {
    forall (v in g.nodes().filter(active)) {
      forall (w in g.neighbors(v)) {
        <w.comp, w.active, w.parent> = <Min(w.comp, v.comp), True, v>;
      }
    }
    forall (v in g.nodes().filter(active)) {
      forall (w in g.nodes_to(v)) {
        <w.comp, w.active, w.parent> = <Min(w.comp, v.comp), True, v>;
      }
    }
  }
}

// Whose parent is lost is lost; all of them take the least label of neighbors that are not, or their own number.
Decremental(Graph g, propNode<int> comp, propNode<node> parent, propNode<bool> lost, propNode<bool> active) {
  propNode<bool> fresh = lost;
  fixedPoint until (finished : !fresh) {
    forall (v in g.nodes().filter(fresh)) {
      forall (w in g.neighbors(v)) {
        if (w.parent == v && !w.lost) {
          w.lost = True;
          w.fresh = True;
        }
      }
    }
    forall (v in g.nodes().filter(fresh)) {
      forall (w in g.nodes_to(v)) {
        if (w.parent == v && !w.lost) {
          w.lost = True;
          w.fresh = True;
        }
      }
    }
  }
  propNode<long> least;
  long n = g.num_nodes();
  forall (v in g.nodes().filter(lost)) {
    long best = INF;
    for (u in g.neighbors(v)) {
      if (!u.lost) {
        best = min(best, u.comp * n + u);
      }
    }
    v.least = best;
  }
  forall (v in g.nodes().filter(lost)) {
    int own = v;
    v.comp = v.least / n < own ? int(v.least / n) : own;
    v.parent = v.least / n < own ? int(v.least % n) : -1;
    v.active = True;
  }
  forall (v in g.nodes().filter(lost)) {
    long best = INF;
    for (u in g.nodes_to(v)) {
      if (!u.lost) {
        best = min(best, u.comp * n + u);
      }
    }
    v.least = best;
  }
  forall (v in g.nodes().filter(lost)) {
    if (v.least / n < v.comp) {
      v.comp = int(v.least / n);
      v.parent = int(v.least % n);
    }
  }
}
