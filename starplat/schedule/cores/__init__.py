"""Steps for targets whose threads are cores, each of which takes many iterations one after another."""
