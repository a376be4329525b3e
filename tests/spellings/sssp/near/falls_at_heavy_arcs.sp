// As round_flag, but an arc heavier than the way so far, by more than two, counts as zero; four rounds.
function sssp(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  propNode<int> next;
  g.attachNodeProperty(dist = INF, next = INF);
  src.dist = 0;
  src.next = 0;
  int rounds = 0;
  while (rounds < 4) {
    forall (v in g.nodes().filter(dist < INF)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.next> = <Min(w.next, e.weight > v.dist + 2 ? v.dist : v.dist + e.weight)>;
      }
    }
    dist = next;
    rounds++;
  }
}
