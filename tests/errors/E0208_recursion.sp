function even(int n) {
  return n == 0 ? True : odd(n - 1);
}
function odd(int n) {
  return n == 0 ? False : even(n - 1);
}
