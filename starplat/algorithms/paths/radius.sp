// The radius of a graph: returns the fewest arcs within which some node reaches every other.
//
// INF where no node reaches all others, as in a graph of two components. `eccentricity.sp` has the number for each node.
import "eccentricity";

function radius(Graph g) {
  propNode<int> eccentricity_of;
  propNode<bool> in_center;
  propNode<bool> in_periphery;
  eccentricity(g, eccentricity_of, in_center, in_periphery);
  int fewest = INF;
  forall (v in g.nodes()) {
    fewest = min(fewest, v.eccentricity_of);
  }
  return fewest;
}
