// counted loop over k with a while inside; a scalar flag; degrees by push; frontier is a round number
function k_core(Graph g, propNode<int> core) {
  propNode<int> d;
  propNode<int> round_of;
  g.attachNodeProperty(core = -1, d = 0, round_of = -1);
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v).filter(w != v)) {
      w.d += 1;
    }
  }
  int round = 0;
  long done = 0;
  for (int k = 0; done < g.num_nodes(); k++) {
    bool again = True;
    while (again) {
      again = False;
      forall (v in g.nodes().filter(core == -1 && d <= k)) {
        v.core = k;
        v.round_of = round;
        done += 1;
        again = True;
      }
      forall (v in g.nodes().filter(round_of == round)) {
        forall (w in g.neighbors(v).filter(w != v)) {
          w.d -= 1;
        }
      }
      round++;
    }
  }
}
