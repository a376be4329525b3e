// while; helper functions, one for a round and one for a value; two flag properties; Min; push
// names: level=dist src=source
function one_more(int d) {
  return d + 1;
}
function expand(Graph g, propNode<int> dist, propNode<bool> now, propNode<bool> next) {
  bool moved = False;
  forall (v in g.nodes().filter(now)) {
    v.now = False;
    forall (w in g.neighbors(v)) {
      if (w.dist > one_more(v.dist)) {
        <w.dist, w.next> = <Min(w.dist, one_more(v.dist)), True>;
        moved = True;
      }
    }
  }
  return moved;
}
function main(Graph g, propNode<int> dist, node source) {
  propNode<bool> now;
  propNode<bool> next;
  g.attachNodeProperty(dist = INF, now = False, next = False);
  source.dist = 0;
  source.now = True;
  bool going = True;
  while (going) {
    going = expand(g, dist, now, next);
    now = next;
    g.attachNodeProperty(next = False);
  }
}
