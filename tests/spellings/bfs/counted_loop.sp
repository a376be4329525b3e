// counted loop with break; the frontier is a level; push; if written the other way round; a flag set once a round
// names: level=bfsLevel src=s
function computeBFS(Graph g, propNode<int> bfsLevel, int s) {
  g.attachNodeProperty(bfsLevel = INF);
  s.bfsLevel = 0;
  for (int k = 0; k < g.num_nodes(); k++) {
    bool progress = false;
    forall (v in g.nodes()) {
      if (k == v.bfsLevel) {
        forall (nbr in g.neighbors(v)) {
          if (INF == nbr.bfsLevel) {
            nbr.bfsLevel = k + 1;
            progress = true;
          }
        }
      }
    }
    if (!progress) break;
  }
}
