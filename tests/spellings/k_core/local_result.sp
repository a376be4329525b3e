// while; the core numbers are a local, copied at the end; the degrees become the core numbers; max in the value
// names: core=out
function k_core(Graph g, propNode<int> out) {
  propNode<int> value;
  propNode<int> degree;
  propNode<bool> open;
  propNode<bool> leaving;
  g.attachNodeProperty(degree = 0, value = 0, open = True, leaving = False);
  forall (v in g.nodes()) {
    int d = 0;
    for (u in g.nodes_to(v)) {
      d += u == v ? 0 : 1;
    }
    v.degree = d;
  }
  int k = 0;
  bool any = g.num_nodes() > 0;
  while (any) {
    int low = INF;
    forall (v in g.nodes().filter(open == True)) {
      low = Min(low, v.degree);
    }
    k = max(k, low);
    forall (v in g.nodes().filter(open == True && degree <= k)) {
      v.value = k;
      v.open = False;
      v.leaving = True;
    }
    forall (v in g.nodes().filter(leaving == True)) {
      v.leaving = False;
      forall (w in g.neighbors(v)) {
        w.degree -= 1;
      }
    }
    any = False;
    forall (v in g.nodes().filter(open == True)) {
      any = True;
    }
  }
  out = value;
}
