function f(Graph g) { }
/* the rest is comment
function h(Graph g) { }
