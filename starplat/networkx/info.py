"""The backend's description for NetworkX at import: the list of functions. Imports nothing heavy."""

from typing import Any

FAMILIES = {
    "paths": """
        all_pairs_bellman_ford_path all_pairs_bellman_ford_path_length all_pairs_dijkstra
        all_pairs_dijkstra_path all_pairs_dijkstra_path_length all_pairs_shortest_path
        all_pairs_shortest_path_length
        bellman_ford_path bellman_ford_path_length dijkstra_path dijkstra_path_length has_path
        multi_source_dijkstra multi_source_dijkstra_path multi_source_dijkstra_path_length shortest_path
        shortest_path_length single_source_bellman_ford single_source_bellman_ford_path
        single_source_bellman_ford_path_length single_source_dijkstra single_source_dijkstra_path
        single_source_dijkstra_path_length single_source_shortest_path single_source_shortest_path_length
        single_target_shortest_path single_target_shortest_path_length
    """,
    "distances": """
        average_shortest_path_length center closeness_centrality diameter eccentricity harmonic_centrality
        periphery radius
    """,
    "centrality": """
        betweenness_centrality degree_centrality edge_betweenness_centrality in_degree_centrality isolates
        number_of_isolates number_of_selfloops out_degree_centrality voterank
    """,
    "link_analysis": """
        eigenvector_centrality hits katz_centrality pagerank
    """,
    "components": """
        connected_components is_bipartite is_connected is_strongly_connected is_weakly_connected
        node_connected_component number_connected_components number_strongly_connected_components
        number_weakly_connected_components strongly_connected_components weakly_connected_components
    """,
    "traversal": """
        ancestors bfs_layers descendants descendants_at_distance is_directed_acyclic_graph
        topological_generations
    """,
    "clusters": """
        average_clustering clustering core_number k_core k_truss square_clustering transitivity triangles
    """,
    "trees": """
        maximum_spanning_edges maximum_spanning_tree minimum_spanning_edges minimum_spanning_tree
    """,
    "links": """
        adamic_adar_index jaccard_coefficient preferential_attachment resource_allocation_index
    """,
    "mixing": """
        average_neighbor_degree degree_assortativity_coefficient modularity
    """,
}
"""The functions of each module of this package."""

HOMES = {function: family for family, functions in FAMILIES.items() for function in functions.split()}


def get_info() -> dict[str, Any]:
    """What NetworkX's entry point `networkx.backend_info` asks for."""
    return {
        "backend_name": "starplat",
        "project": "starplat",
        "package": "starplat",
        "short_summary": "Graph programs compiled for the GPU, or else the CPU, that is here.",
        "functions": {name: {} for name in sorted(HOMES)},
        "default_config": {"target": "auto"},
    }
