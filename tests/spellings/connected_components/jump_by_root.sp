// do…while; hooking by nodes and neighbors in place of edges; a loop with a temporary follows the roots
// names: component=parent
function shiloach_vishkin(Graph g, propNode<node> parent) {
  forall (v in g.nodes()) {
    v.parent = v;
  }
  bool hooked;
  do {
    hooked = False;
    forall (u in g.nodes()) {
      forall (v in g.neighbors(u)) {
        node pu = u.parent;
        node pv = v.parent;
        if (pu < pv) {
          <pv.parent> = <Min(pv.parent, pu)>;
          hooked = True;
        }
        if (pv < pu) {
          <pu.parent> = <Min(pu.parent, pv)>;
          hooked = True;
        }
      }
    }
    forall (v in g.nodes()) {
      node r = v.parent;
      while (r != r.parent) {
        r = r.parent;
      }
      <v.parent> = <Min(v.parent, r)>;
    }
  } while (hooked);
}
