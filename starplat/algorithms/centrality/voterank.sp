// VoteRank: `place` is a node's place, from 0, among those from which most can be reached together; -1 for the others.
//
// In each round all nodes vote for those that lead to them, with what ability they have left; the node with most votes
// is elected, the smallest of equal ones, votes no more, and the nodes that it leads to lose one part in the average
// degree of their ability (Zhang et al.). Ends after `most` nodes, or when there are no votes. Returns the number elected.
function voterank(Graph g, propNode<int> place, int most = INF) {
  propNode<int> losses;
  propNode<double> votes;
  g.attachNodeProperty(place = -1, losses = 0);
  double loss = g.num_edges() > 0 ? double(g.num_nodes()) / g.num_edges() : 0.0;
  int elected = 0;
  bool voting = g.num_edges() > 0;
  while (voting && elected < most && elected < g.num_nodes()) {
    double largest = 0.0;
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (w in g.neighbors(v)) {
        sum += w.place < 0 ? max(1.0 - w.losses * loss, 0.0) : 0.0;
      }
      v.votes = v.place < 0 ? sum : 0.0;
      largest = max(largest, v.votes);
    }
    voting = largest > 0.0;
    if (voting) {
      node winner = g.num_nodes();
      forall (v in g.nodes().filter(votes == largest)) {
        winner = min(winner, v);
      }
      winner.place = elected;
      forall (w in g.neighbors(winner)) {
        w.losses += 1;
      }
      elected += 1;
    }
  }
  return elected;
}
