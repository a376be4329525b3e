// The diameter of a graph: returns the fewest arcs within which every node reaches every other.
//
// INF where some node does not reach all others, as in a graph of two components; 0 for an empty graph.
import "eccentricity";

function diameter(Graph g) {
  propNode<int> eccentricity_of;
  propNode<bool> in_center;
  propNode<bool> in_periphery;
  return eccentricity(g, eccentricity_of, in_center, in_periphery);
}
