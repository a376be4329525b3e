// do … while with a counter; what a node gives is computed first; pull; sums in temporaries; a loop moves the ranks
// names: rank=score
function rank_pages(Graph g, propNode<double> score, double damping = 0.85, double tolerance = 1e-6, int max_iterations = 100) {
  propNode<double> gives;
  propNode<double> new_score;
  double n = g.num_nodes();
  forall (v in g.nodes()) {
    v.score = 1.0 / n;
  }
  int round = 0;
  double moved = INF;
  while (round < max_iterations && moved > tolerance) {
    round += 1;
    double lost = 0.0;
    forall (v in g.nodes()) {
      int out = g.count_outNbrs(v);
      if (out == 0) {
        v.gives = 0.0;
        lost += v.score;
      } else {
        v.gives = v.score / out;
      }
    }
    moved = 0.0;
    forall (v in g.nodes()) {
      double sum = 0.0;
      for (u in g.nodes_to(v)) {
        sum += u.gives;
      }
      v.new_score = (1.0 - damping) / n + damping * (sum + lost / n);
    }
    forall (v in g.nodes()) {
      moved += abs(v.new_score - v.score);
      v.score = v.new_score;
    }
  }
}
