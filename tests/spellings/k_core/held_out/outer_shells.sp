// while (True) with break; shells peeled by a helper that says how many went; degrees pulled; a round marks those
// names: core=shell
function peel(Graph g, propNode<int> shell, propNode<int> around, propNode<int> turn, int k, int round) {
  long went = 0;
  forall (v in g.nodes().filter(shell < 0)) {
    if (v.around <= k) {
      v.shell = k;
      v.turn = round;
      went += 1;
    }
  }
  forall (v in g.nodes().filter(shell < 0)) {
    for (u in g.nodes_to(v)) {
      if (u.turn == round && u.shell == k) {
        v.around -= 1;
      }
    }
  }
  return went;
}
function shells(Graph g, propNode<int> shell) {
  propNode<int> around;
  propNode<int> turn;
  g.attachNodeProperty(shell = -1, around = 0, turn = 0);
  forall (e in g.edges()) {
    node from = e.source;
    node to = e.destination;
    if (from != to) {
      to.around += 1;
    }
  }
  int k = 0;
  int round = 1;
  long inside = g.num_nodes();
  while (True) {
    if (inside == 0) {
      break;
    }
    long went = peel(g, shell, around, turn, k, round);
    inside -= went;
    round++;
    k = went == 0 ? k + 1 : k;
  }
}
