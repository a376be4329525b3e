// Voronoi cells of `centers`: `center` is the one that a shortest path leads to every node from, `dist` its length.
//
// The smallest center of several at the same distance; -1, and INF, for nodes that no path leads to. No weight is
// negative.
function voronoi_cells(Graph g, propNode<node> center, propNode<long> dist, propEdge<long> weight, SetN<g> centers) {
  propNode<bool> frontier;
  propNode<int> smallest;
  g.attachNodeProperty(dist = INF, smallest = INF, frontier = False);
  forall (c in centers) {
    c.dist = 0;
    c.frontier = True;
  }
  bool searched = False;
  fixedPoint until (searched : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.frontier> = <Min(w.dist, v.dist + e.weight), True>;
      }
    }
  }
  forall (c in centers) {
    c.smallest = c;
    c.frontier = True;
  }
  bool told = False;
  fixedPoint until (told : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (w.dist == v.dist + e.weight) {
          <w.smallest, w.frontier> = <Min(w.smallest, v.smallest), True>;
        }
      }
    }
  }
  forall (v in g.nodes()) {
    v.center = v.smallest == INF ? -1 : v.smallest;
  }
}

function voronoi_cells_real(Graph g, propNode<node> center, propNode<double> dist, propEdge<double> weight, SetN<g> centers) {
  propNode<bool> frontier;
  propNode<int> smallest;
  g.attachNodeProperty(dist = INF, smallest = INF, frontier = False);
  forall (c in centers) {
    c.dist = 0.0;
    c.frontier = True;
  }
  bool searched = False;
  fixedPoint until (searched : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.frontier> = <Min(w.dist, v.dist + e.weight), True>;
      }
    }
  }
  forall (c in centers) {
    c.smallest = c;
    c.frontier = True;
  }
  bool told = False;
  fixedPoint until (told : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (w.dist == v.dist + e.weight) {
          <w.smallest, w.frontier> = <Min(w.smallest, v.smallest), True>;
        }
      }
    }
  }
  forall (v in g.nodes()) {
    v.center = v.smallest == INF ? -1 : v.smallest;
  }
}
