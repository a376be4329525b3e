// The periphery of a graph: `in_periphery` marks the nodes from which some node is farthest; returns their number.
//
// These are the nodes whose eccentricity is the diameter; where some node does not reach all others, those that do not.
import "eccentricity";

function periphery(Graph g, propNode<bool> in_periphery) {
  propNode<int> eccentricity_of;
  propNode<bool> in_center;
  eccentricity(g, eccentricity_of, in_center, in_periphery);
  int members = 0;
  forall (v in g.nodes().filter(in_periphery == True)) {
    members += 1;
  }
  return members;
}
