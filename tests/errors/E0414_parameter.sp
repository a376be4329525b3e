function f(Graph g, map<int, int> votes) {
  return votes.size();
}
