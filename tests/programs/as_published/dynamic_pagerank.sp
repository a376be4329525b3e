// Ranks that follow a stream of updates: only what an update reaches is computed again.
Static settle(Graph g, float beta, float delta, int maxIter, propNode<float> rank) {
  float n = g.num_nodes();
  propNode<float> next;
  g.attachNodeProperty(rank = 1 / n);
  int iter = 0;
  float diff;
  do {
    diff = 0;
    forall (v in g.nodes()) {
      float sum = 0;
      for (u in g.nodes_to(v)) {
        sum += u.rank / g.count_outNbrs(u);
      }
      v.next = (1 - delta) / n + delta * sum;
      diff += abs(v.next - v.rank);
    }
    rank = next;
  } while (diff > beta && iter++ < maxIter);
}

Incremental(Graph g, float beta, float delta, int maxIter, propNode<float> rank, propNode<bool> touched) {
  float n = g.num_nodes();
  propNode<float> next;
  int iter = 0;
  float diff;
  do {
    diff = 0;
    forall (v in g.nodes().filter(touched)) {
      float sum = 0;
      for (u in g.nodes_to(v)) {
        sum += u.rank / g.count_outNbrs(u);
      }
      v.next = (1 - delta) / n + delta * sum;
      diff += abs(v.next - v.rank);
    }
    forall (v in g.nodes().filter(touched == 1)) {
      v.rank = v.next;
    }
  } while (diff > beta && ++iter < maxIter);
}

Dynamic follow(Graph g, float beta, float delta, int maxIter, propNode<float> rank, updates<g> stream, int size) {
  settle(g, beta, delta, maxIter, rank);
  Batch (stream : size) {
    propNode<bool> touched;
    g.attachNodeProperty(touched = False);
    updates<g> gone = stream.currentBatch(0);
    forall (u in gone) {
      int end = u.destination;
      end.touched = True;
    }
    g.propagateNodeFlags(touched);
    g.updateCSRDel(stream);
    Incremental(g, beta, delta, maxIter, rank, touched);
    g.attachNodeProperty(touched = False);
    OnAdd (u in stream.currentBatch(1)) {
      node end = u.destination;
      end.touched = True;
    }
    g.updateCSRAdd(stream);
    g.propagateNodeFlags(touched);
    Incremental(g, beta, delta, maxIter, rank, touched);
  }
}
