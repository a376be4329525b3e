function twice(int x) {
  return 2 * x;
}
function twice(float x) {
  return 2 * x;
}
