// As round_flag with max in place of min in the value: the heaviest arc that a walk from the source can meet.
function widest(Graph g, propNode<int> width, propEdge<int> weight, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(width = -1, modified = False);
  src.width = 0;
  src.modified = True;
  fixedPoint until (finished : !modified) {
    forall (v in g.nodes().filter(modified == True)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.width, w.modified> = <Max(w.width, max(v.width, e.weight)), True>;
      }
    }
  }
}
