function f(int n) {
  int sum = 0;
  loop (i in 1 to n by 0) {
    sum += i;
  }
  return sum;
}
