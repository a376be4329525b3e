// A compiler for GPUs took the promise that nobody writes to the one array for a promise about the other, and read `p`
// before it was stored.
function entry(Graph g, propEdge<int> p, propEdge<node> q, node src) {
  forall (e in g.edges()) {
    e.p = (e.q >= 0 ? 1 : 0);
    e.p = (~((((0 + src) > 20) ? (0 + e.destination) : e.p) + (10 % 9))) % 463127;
  }
}
