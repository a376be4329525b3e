function f(g, unsigned x) {
  string s = 3;
  Foo<int> y;
}
