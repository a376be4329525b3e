// The center of a graph: `in_center` marks the nodes that reach all others within the fewest arcs; returns their number.
//
// Where no node reaches all others, all nodes are alike, and all are marked.
import "eccentricity";

function center(Graph g, propNode<bool> in_center) {
  propNode<int> eccentricity_of;
  propNode<bool> in_periphery;
  eccentricity(g, eccentricity_of, in_center, in_periphery);
  int members = 0;
  forall (v in g.nodes().filter(in_center == True)) {
    members += 1;
  }
  return members;
}
