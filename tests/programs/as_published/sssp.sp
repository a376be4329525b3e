// Shortest paths, the source an int, one flag a node.
Static shortest(Graph g, propNode<int> dist, propNode<int> parent, propEdge<int> weight, int src) {
  propNode<bool> active;
  g.attachNodeProperty(dist = INT_MAX, active = False, parent = -1);
  src.dist = 0;
  src.active = True;
  fixedPoint until (done : !active) {
    forall (v in g.nodes().filter(active == 1)) {
      forall (nbr in g.neighbors(v)) {
        edge e = g.get_edge(v, nbr);
        <nbr.dist, nbr.active, nbr.parent> = <Min(nbr.dist, v.dist + e.weight), True, v>;
      }
    }
  }
}
