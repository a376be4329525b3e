x = 3;
y = 4;
function f(Graph g) {
}
return x;
