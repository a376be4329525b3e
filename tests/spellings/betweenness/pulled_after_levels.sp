// fixedPoint on one flag with the level by if; sigma by pull after each round's levels stand; delta from the last level
// names: bc=value
function centrality(Graph g, propNode<double> value, SetN<g> sources) {
  propNode<int> lvl;
  propNode<double> s_count;
  propNode<double> d_sum;
  g.attachNodeProperty(value = 0.0);
  for (root in sources) {
    propNode<bool> wave;
    propNode<bool> next_wave;
    g.attachNodeProperty(lvl = INF, s_count = 0.0, d_sum = 0.0, wave = False, next_wave = False);
    root.lvl = 0;
    root.s_count = 1.0;
    root.wave = True;
    int at = 0;
    fixedPoint until (ebb : !wave) {
      forall (v in g.nodes().filter(wave == True)) {
        forall (w in g.neighbors(v)) {
          if (w.lvl == INF) {
            w.next_wave = True;
          }
        }
      }
      at = at + 1;
      forall (w in g.nodes().filter(next_wave == True)) {
        w.lvl = at;
        for (v in g.nodes_to(w)) {
          if (v.wave) {
            w.s_count += v.s_count;
          }
        }
      }
      g.attachNodeProperty(wave = next_wave, next_wave = False);
    }
    for (int l = at; l > 0; l--) {
      forall (v in g.nodes().filter(lvl == l)) {
        for (w in g.neighbors(v)) {
          if (w.lvl == l + 1) {
            v.d_sum += v.s_count / w.s_count * (1.0 + w.d_sum);
          }
        }
        v.value += v.d_sum;
      }
    }
  }
}
