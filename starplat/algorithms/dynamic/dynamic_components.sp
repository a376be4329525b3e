// Connected components of a graph that changes, after every batch of updates; arcs connect both ways.
//
// `comp` is the same for the nodes of a component, the number of its first node, counted from 0; `parent` leads along
// arcs to that node, where it is -1. Nodes whose way leads over a deleted arc become components of their own. Then each
// of them, and each end of an added arc, takes the least label that it is offered, and the lesser labels spread.
Dynamic dynamic_components(Graph g, propNode<int> comp, propNode<node> parent, updates<g> changes, int batch = 1000) {
  propNode<bool> active;
  g.attachNodeProperty(parent = -1, active = True);
  forall (v in g.nodes()) {
    v.comp = v;
  }
  Incremental(g, comp, parent, active);
  Batch (changes : batch) {
    g.updateCSRDel(changes);
    g.updateCSRAdd(changes);
    follow(g, comp, parent, changes);
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

function follow(Graph g, propNode<int> comp, propNode<node> parent, updates<g> changes) {
  propNode<bool> lost, joins, active;
  propNode<long> least;
  g.attachNodeProperty(lost = False, joins = False, active = False, least = INF);
  long n = g.num_nodes();
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
    forall (v in g.nodes().filter(fresh)) {
      forall (w in g.nodes_to(v)) {
        if (w.parent == v && !w.lost) {
          w.lost = True;
          w.fresh = True;
        }
      }
    }
  }
  forall (v in g.nodes().filter(lost)) {
    v.comp = v;
    v.parent = -1;
  }
  forall (v in g.nodes().filter(lost)) {
    long best = INF;
    for (u in g.neighbors(v)) {
      best = min(best, u.comp * n + u);
    }
    v.least = best;
    v.joins = True;
  }
  OnAdd (u in changes.currentBatch(1)) {
    node a = u.source;
    node b = u.destination;
    long of_a = a.comp * n + a;
    long of_b = b.comp * n + b;
    if (a.comp < b.comp) {
      <b.least, b.joins> = <Min(b.least, of_a), True>;
    }
    if (b.comp < a.comp) {
      <a.least, a.joins> = <Min(a.least, of_b), True>;
    }
  }
  forall (v in g.nodes().filter(lost)) {
    long best = v.least;
    for (u in g.nodes_to(v)) {
      best = min(best, u.comp * n + u);
    }
    v.least = best;
  }
  forall (v in g.nodes().filter(joins)) {
    if (v.least < INF && v.least / n < v.comp) {
      v.comp = int(v.least / n);
      v.parent = int(v.least % n);
      v.active = True;
    }
  }
  Incremental(g, comp, parent, active);
}
