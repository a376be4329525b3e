// A maximum matching of a bipartite graph: returns its number of edges; `partner` is a node's other end, -1 if none.
//
// No two edges share a node, and no matching has more. -1 is returned, and no node matched, if the graph is not bipartite.
// Arcs are taken both ways.
//
// In each round a search from all nodes of one side without a partner goes to the other side by any edge and back by the
// edges of the matching; in every tree that it grows at most one path that ends without a partner is turned over.
function bipartite_matching(Graph g, propNode<node> partner) {
  propNode<bool> left;
  propNode<node> before;
  propNode<node> leaf;
  g.attachNodeProperty(partner = -1);
  if (!two_sides(g, left)) {
    return -1;
  }
  long edges = 0;
  long found = 1;
  while (found > 0) {
    grow(g, left, partner, before, leaf);
    found = turn_over(g, partner, before, leaf);
    edges += found;
  }
  return edges;
}

// Whether the graph is bipartite; `left` is the side of the smallest node of every component.
function two_sides(Graph g, propNode<bool> left) {
  propNode<node> component;
  propNode<int> level;
  propNode<bool> frontier;
  g.attachNodeProperty(level = INF);
  forall (v in g.nodes()) {
    v.component = v;
    v.frontier = True;
  }
  bool labelled = False;
  fixedPoint until (labelled : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.inOutNbrs(v)) {
        <w.component, w.frontier> = <Min(w.component, v.component), True>;
      }
    }
  }
  forall (v in g.nodes().filter(component == v)) {
    v.level = 0;
    v.frontier = True;
  }
  bool searched = False;
  fixedPoint until (searched : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.inOutNbrs(v)) {
        <w.level, w.frontier> = <Min(w.level, v.level + 1), True>;
      }
    }
  }
  forall (v in g.nodes()) {
    v.left = v.level % 2 == 0;
  }
  bool even = True;
  forall (e in g.edges()) {
    if (e.source.level == e.destination.level) {
      even = False;
    }
  }
  return even;
}

// Trees from the left nodes without a partner: `before` is the left node that a right one was reached from, `leaf` of a
// root a right node of its tree without a partner.
function grow(Graph g, propNode<bool> left, propNode<node> partner, propNode<node> before, propNode<node> leaf) {
  propNode<node> root;
  propNode<node> tree;
  propNode<node> offer;
  propNode<bool> frontier;
  g.attachNodeProperty(before = -1, leaf = -1, root = -1, tree = -1);
  forall (v in g.nodes()) {
    v.frontier = v.left && v.partner == -1;
    v.root = v.frontier ? v : -1;
  }
  bool growing = True;
  while (growing) {
    growing = False;
    g.attachNodeProperty(offer = -1);
    forall (v in g.nodes().filter(frontier)) {
      node r = v.root;
      if (r.leaf == -1) { // else the tree has its path
        forall (w in g.inOutNbrs(v).filter(before == -1)) {
          <w.offer> = <Max(w.offer, v)>;
        }
      }
    }
    forall (w in g.nodes().filter(offer != -1)) {
      w.before = w.offer;
      node v = w.offer;
      node r = v.root;
      if (w.partner == -1) {
        <r.leaf> = <Max(r.leaf, w)>;
      }
    }
    forall (v in g.nodes()) {
      v.frontier = False;
      node w = v.partner;
      if (v.left && v.root == -1 && w != -1) {
        node u = w.offer;
        if (u != -1) {
          v.tree = u.root;
          v.frontier = True;
          growing = True;
        }
      }
    }
    forall (v in g.nodes().filter(frontier)) {
      v.root = v.tree;
    }
  }
}

// Takes the edges of every path from a leaf to its root that are not in the matching for those that are. How many paths.
function turn_over(Graph g, propNode<node> partner, propNode<node> before, propNode<node> leaf) {
  propNode<node> other;
  long paths = 0;
  g.attachNodeProperty(other = -1);
  forall (r in g.nodes().filter(leaf != -1)) {
    node w = r.leaf;
    paths += 1;
    while (w != -1) {
      node v = w.before;
      <w.other> = <Max(w.other, v)>;
      <v.other> = <Max(v.other, w)>;
      w = v.partner;
    }
  }
  forall (v in g.nodes().filter(other != -1)) {
    v.partner = v.other;
  }
  return paths;
}
