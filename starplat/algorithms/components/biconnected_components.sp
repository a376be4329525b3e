// Biconnected components, articulation points and bridges; returns the number of components.
//
// A component stays in one piece whichever of its nodes is taken away. `component` is that of every arc, called after
// one of its nodes, no two after the same. `articulation` marks the nodes that are in more than one: without it the
// graph falls apart further. `bridge` marks both arcs of every edge that is a component of its own. The graph is
// undirected, without loops; parallel edges are no bridges.
//
// Of a tree of a breadth-first search a node and its parent are in the component that the parent shares with its own
// parent if an edge leads from below the node to somewhere not below the parent; all other edges join nodes of one
// component (after Dong, Wang, Gu and Sun). Takes as many rounds as a search has levels.
function biconnected_components(Graph g, propEdge<node> component, propNode<bool> articulation, propEdge<bool> bridge) {
  propNode<int> level;
  propNode<node> parent;
  propNode<int> size;
  propNode<int> first;
  propNode<int> lowest;
  propNode<int> highest;
  propEdge<bool> joins;
  propNode<node> label;
  propNode<int> arcs;
  search(g, level, parent);
  number(g, level, parent, size, first);
  reach(g, level, parent, first, lowest, highest);
  forall (e in g.edges()) {
    node v = e.source.parent == e.destination ? e.source : e.destination;
    node p = v.parent;
    e.joins = True;
    if (p == e.source || p == e.destination) {
      e.joins = v.lowest < p.first || v.highest >= p.first + p.size;
    }
  }
  merge(g, joins, label);
  g.attachNodeProperty(arcs = 0);
  forall (e in g.edges()) {
    node v = e.source.parent == e.destination ? e.source : e.destination;
    node name = v.label;
    e.component = name;
    name.arcs += 1;
  }
  forall (v in g.nodes()) {
    node one = -1;
    v.articulation = False;
    for (w in g.neighbors(v)) {
      edge e = g.get_edge(v, w);
      node name = e.component;
      if (one != -1 && name != one) {
        v.articulation = True;
      }
      one = name;
      e.bridge = name.arcs == 2;
    }
  }
  long components = 0;
  forall (v in g.nodes().filter(arcs > 0)) {
    components += 1;
  }
  return components;
}

// A tree of a breadth-first search of every connected component, from its smallest node.
function search(Graph g, propNode<int> level, propNode<node> parent) {
  propNode<node> smallest;
  propNode<bool> frontier;
  g.attachNodeProperty(level = INF, parent = -1);
  forall (v in g.nodes()) {
    v.smallest = v;
    v.frontier = True;
  }
  bool labelled = False;
  fixedPoint until (labelled : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.neighbors(v)) {
        <w.smallest, w.frontier> = <Min(w.smallest, v.smallest), True>;
      }
    }
  }
  forall (v in g.nodes().filter(smallest == v)) {
    v.level = 0;
    v.frontier = True;
  }
  bool searched = False;
  fixedPoint until (searched : !frontier) {
    forall (v in g.nodes().filter(frontier)) {
      forall (w in g.neighbors(v)) {
        <w.level, w.frontier> = <Min(w.level, v.level + 1), True>;
      }
    }
  }
  forall (v in g.nodes()) {
    for (u in g.neighbors(v).filter(level + 1 == v.level)) {
      v.parent = u;
    }
  }
}

// Numbers every tree so that those below a node follow it: from its `first`, as many as its `size`.
function number(Graph g, propNode<int> level, propNode<node> parent, propNode<int> size, propNode<int> first) {
  propNode<int> below;
  propNode<int> given;
  g.attachNodeProperty(below = 0, given = INF);
  int deepest = g.num_nodes() > 0 ? Max(level) : 0;
  for (int depth = deepest; depth >= 0; depth--) {
    forall (v in g.nodes().filter(level == depth)) {
      v.size = 1 + v.below;
    }
    forall (v in g.nodes().filter(level == depth && parent != -1)) {
      node p = v.parent;
      p.below += v.size;
    }
  }
  for (int depth = 0; depth <= deepest; depth++) {
    forall (v in g.nodes().filter(level == depth)) {
      v.first = depth == 0 ? 0 : v.given;
    }
    forall (v in g.nodes().filter(level == depth)) {
      int next = v.first + 1;
      node last = -1;
      for (w in g.neighbors(v).filter(parent == v)) {
        if (w != last) { // parallel edges
          <w.given> = <Min(w.given, next)>;
          next += w.size;
          last = w;
        }
      }
    }
  }
}

// The lowest and the highest number of the neighbors of those below a node and of its own.
function reach(Graph g, propNode<int> level, propNode<node> parent, propNode<int> first, propNode<int> lowest, propNode<int> highest) {
  propNode<int> lower;
  propNode<int> higher;
  forall (v in g.nodes()) {
    v.lower = v.first;
    v.higher = v.first;
    for (w in g.neighbors(v)) {
      v.lower = min(v.lower, w.first);
      v.higher = max(v.higher, w.first);
    }
  }
  int deepest = g.num_nodes() > 0 ? Max(level) : 0;
  for (int depth = deepest; depth >= 0; depth--) {
    forall (v in g.nodes().filter(level == depth)) {
      v.lowest = v.lower;
      v.highest = v.higher;
    }
    forall (v in g.nodes().filter(level == depth && parent != -1)) {
      node p = v.parent;
      <p.lower> = <Min(p.lower, v.lowest)>;
      <p.higher> = <Max(p.higher, v.highest)>;
    }
  }
}

// The smallest node that arcs that join lead to.
function merge(Graph g, propEdge<bool> joins, propNode<node> label) {
  propNode<node> hook;
  forall (v in g.nodes()) {
    v.label = v;
    v.hook = v;
  }
  bool hooked = True;
  while (hooked) {
    hooked = False;
    forall (e in g.edges().filter(joins)) {
      node a = e.source.label;
      node b = e.destination.label;
      if (a != b) {
        hooked = True;
        <a.hook> = <Min(a.hook, b)>;
        <b.hook> = <Min(b.hook, a)>;
      }
    }
    forall (v in g.nodes()) {
      node root = v.label;
      while (root.hook != root) {
        root = root.hook;
      }
      v.label = root;
    }
  }
}
