// Onion layers: `layer` is the round in which a node is peeled off, when those of too few neighbors go again and again.
//
// As k-cores are found: in a round go, all at once, those with at most k neighbors left, and k grows when there are none
// (Hébert-Dufresne, Grochow and Allard). Layers count from 1, where nodes without neighbors are; if there are none,
// those of one neighbor. The graph is undirected, without loops and parallel edges. Returns the number of layers.
function onion_layers(Graph g, propNode<int> layer) {
  propNode<int> degree;
  propNode<bool> peeling;
  g.attachNodeProperty(layer = 0, peeling = False);
  forall (v in g.nodes()) {
    v.degree = g.count_outNbrs(v);
  }
  long left = g.num_nodes();
  int round = 1;
  int k = 0;
  while (left > 0) {
    long peeled = 0;
    forall (v in g.nodes().filter(layer == 0 && degree <= k)) {
      v.layer = round;
      v.peeling = True;
      peeled += 1;
    }
    forall (v in g.nodes().filter(peeling)) {
      v.peeling = False;
      forall (w in g.neighbors(v)) {
        w.degree -= 1;
      }
    }
    left -= peeled;
    if (peeled == 0) {
      k += 1;
    } else {
      round += 1;
    }
  }
  return round - 1;
}
