// A `for` over a set that grows met new members on the device, and none on the host.
function entry(Graph g, propNode<int> a, propNode<int> b, SetN<g> s, SetN<g> t) {
  for (v in s) {
    s.add(g.num_nodes() - 1);
    v.a = v.a + 1;
  }
  for (v in t) {
    forall (w in g.nodes()) {
      t.add(w);
    }
    v.b = v.b + 1;
  }
}
