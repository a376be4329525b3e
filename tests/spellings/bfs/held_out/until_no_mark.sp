// do…while; marks are swapped by hand; a count of marks ends the loop; nested if in place of a filter; push
// names: level=distance src=begin
function search(Graph net, propNode<int> distance, node begin) {
  propNode<bool> old_marks;
  propNode<bool> new_marks;
  net.attachNodeProperty(distance = INF, old_marks = False, new_marks = False);
  begin.distance = 0;
  begin.old_marks = True;
  long marks = 0;
  do {
    marks = 0;
    forall (p in net.nodes()) {
      if (p.old_marks) {
        forall (q in net.neighbors(p)) {
          if (q.distance > p.distance + 1) {
            q.distance = p.distance + 1;
            q.new_marks = True;
          }
        }
      }
    }
    forall (p in net.nodes()) {
      p.old_marks = p.new_marks;
      p.new_marks = False;
      if (p.old_marks) marks += 1;
    }
  } while (marks != 0);
}
