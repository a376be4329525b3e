// Radii: `radius` is the largest number of steps from any of `sources` to a node, -1 where none comes.
//
// With all nodes as sources this is the eccentricity of every node of an undirected connected graph, the largest its
// diameter; with a few, a lower bound.
function radii(Graph g, propNode<int> radius, SetN<g> sources) {
  g.attachNodeProperty(radius = -1);
  for (src in sources) {
    propNode<int> level;
    g.attachNodeProperty(level = INF);
    src.level = 0;
    iterateInBFS (v in g.nodes() from src) {
      forall (w in g.neighbors(v)) {
        <w.level> = <Min(w.level, v.level + 1)>;
      }
      <v.radius> = <Max(v.radius, v.level)>;
    }
  }
}
