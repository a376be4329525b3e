// while; helper functions for degrees, for taking and for counting down; the result of one is the number taken
function degrees(Graph g, propNode<int> degree) {
  g.attachNodeProperty(degree = 0);
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v)) {
      if (v != w) {
        w.degree += 1;
      }
    }
  }
}
function take(Graph g, propNode<int> core, propNode<int> degree, propNode<bool> taken, int k) {
  long n = 0;
  forall (v in g.nodes().filter(core < 0 && degree <= k)) {
    v.core = k;
    v.taken = True;
    n += 1;
  }
  return n;
}
function count_down(Graph g, propNode<int> degree, propNode<bool> taken) {
  forall (v in g.nodes().filter(taken == True)) {
    forall (w in g.neighbors(v)) {
      if (v != w) {
        w.degree -= 1;
      }
    }
    v.taken = False;
  }
}
function main(Graph g, propNode<int> core) {
  propNode<int> degree;
  propNode<bool> taken;
  g.attachNodeProperty(core = -1, taken = False);
  degrees(g, degree);
  int k = 0;
  long total = 0;
  while (total < g.num_nodes()) {
    long n = take(g, core, degree, taken, k);
    count_down(g, degree, taken);
    total += n;
    if (n == 0) k += 1;
  }
}
