"""Union-find in the place of labels that spread: what a loop does to the labels of nodes, and the proof."""
