// Triangles of an undirected graph that follow a stream of updates: those with one, two or three new edges.
Static all(Graph g) {
  long count = 0;
  forall (v in g.nodes()) {
    forall (u in g.neighbors(v).filter(u < v)) {
      forall (w in g.neighbors(v).filter(w > v)) {
        count += g.is_an_edge(u, w);
      }
    }
  }
  return count;
}

function shared(Graph g, updates<g> changed, propEdge<bool> fresh) {
  long one = 0, two = 0, three = 0;
  forall (u in changed) {
    int a = u.source, b = u.destination;
    if (a != b) {
      for (c in g.neighbors(a)) {
        if (c != a && c != b && g.is_an_edge(c, b)) {
          edge first = g.get_edge(a, c);
          edge second = g.get_edge(b, c);
          int news = 1;
          news += first.fresh;
          news += second.fresh;
          if (news == 1) {
            one++;
          } else if (news == 2) {
            two++;
          } else {
            three++;
          }
        }
      }
    }
  }
  return one / 2 + two / 4 + three / 6;
}

Incremental(Graph g, long before, updates<g> added, propEdge<bool> fresh) {
  return before + shared(g, added, fresh);
}

Decremental(Graph g, long before, updates<g> deleted, propEdge<bool> fresh) {
  return before - shared(g, deleted, fresh);
}

Dynamic follow(Graph g, updates<g> U, int batchSize) {
  long count = all(g);
  Batch (U : batchSize) {
    propEdge<bool> fresh;
    g.attachEdgeProperty(fresh = False);
    updates<g> deleted = U.currentBatch(0);
    forall (u in deleted) {
      edge e = g.get_edge(u.source, u.destination);
      e.fresh = True;
    }
    count = Decremental(g, count, deleted, fresh);
    g.updateCSRDel(U);
    g.updateCSRAdd(U);
    propEdge<bool> added;
    g.attachEdgeProperty(added = False);
    OnAdd (u in U.currentBatch(1)) : {
      int a = u.source;
      int b = u.destination;
      edge e = g.get_edge(a, b);
      e.added = True;
    }
    count = Incremental(g, count, U.currentBatch(1), added);
  }
  return count;
}
