"""Random programs that put numbers in lists, beside scalars, cells and loops of the host and of the device.

Numbers stay below 1000 and lists short; places are taken modulo the size of a list that is not empty. So each program
has one answer.
"""

from __future__ import annotations

from random import Random

LISTS, SCALARS = ("l", "m"), ("a", "b", "c")
HEAD = """
function refill(list<int> given, int x) {
  if (given.size() > 20) {
    given.clear();
  }
  given.push(x);
  return given.size();
}

function f(Graph g, propNode<int> p) {
  list<int> l;
  container<int>(2, 3) m;
  int a = 1, b = 2, c = 3;
"""
TAIL = """
  l.push(refill(m, 1));
  l.push(a + b * 1000 + c * 1000000);
  for (x in m) {
    l.push(x);
  }
  return l;
}
"""


def program_of_lists(seed: int) -> str:
    """The program of a seed."""
    return HEAD + "".join(f"  {line}\n" for line in _Lists(Random(seed)).statements(6)) + TAIL


class _Lists:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.depth = self.names = 0
        self.locals: list[str] = []

    def statements(self, most: int) -> list[str]:
        known = len(self.locals)
        made = [line for _ in range(self.random.randint(1, most)) for line in self.statement()]
        del self.locals[known:]
        return made

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def number(self, deep: int = 2) -> str:
        """A number from 0 to 999."""
        leaves = [*SCALARS, *self.locals, "l.size()", "m.size()", str(self.random.randrange(9)), "Sum(p) % 100"]
        if not deep or self.random.random() < 0.3:
            return f"(int({self.random.choice(leaves)}) & 511)"
        one, other = self.number(deep - 1), self.number(deep - 1)
        return f"(({one} {self.random.choice('+-*')} {other}) & 511)"

    def item(self, name: str) -> str:
        return f"{name}[{self.number(1)} % {name}.size()]"

    def condition(self) -> str:
        name = self.random.choice(LISTS)
        return self.random.choice([
            f"{self.number()} < {self.number(1)}",
            f"{name}.size() > {self.random.randrange(5)} && {self.item(name)} % 2 == 0",
            f"{name}.size() == 0 || {self.item(name)} > {self.number(1)}",
        ])  # fmt: skip

    def guarded(self, name: str, body: list[str]) -> list[str]:
        return [f"if ({name}.size() > 0) {{", *body, "}"]

    def statement(self) -> list[str]:
        name, other = self.random.sample(LISTS, 2)
        scalar = self.random.choice(SCALARS)
        plain = [
            [f"if ({name}.size() < 30) {{", f"{name}.push({self.number()});", "}"],
            [
                f"if ({name}.size() < 30) {{",
                f"{name}.insert({self.number(1)} % ({name}.size() + 1), {self.number(1)});",
                "}",
            ],
            [f"{name}.resize({self.number(1)} % 9{self.random.choice(['', f', {self.number(1)}'])});"],
            self.guarded(name, [f"{self.item(name)} = {self.number()};"]),
            self.guarded(name, [f"{self.item(name)} {self.random.choice(['+=', '^=', '&='])} {self.number()};"]),
            self.guarded(name, [f"{scalar} = {self.item(name)}++ & 511;"]),
            self.guarded(name, [f"{scalar} = Min({scalar}, {self.item(name)});"]),
            [f"{name} = {other};"],
            [f"{scalar} = {self.number()};"],
            [f"{scalar} = (refill({name}, {self.number(1)}) + {self.number(1)}) & 511;"],
            [f"p[{self.number(1)} % g.num_nodes()] = {self.number()};"],
            ["forall (v in g.nodes()) {", f"v.p = (v.p + {scalar}) & 255;", "}"],
        ]
        if self.depth > 2:
            return self.random.choice(plain)
        self.depth += 1
        made = self.random.choice([*plain, *[self.nested(name)] * 6])
        self.depth -= 1
        return made

    def nested(self, name: str) -> list[str]:
        x, scalar = self.fresh("x"), self.random.choice(SCALARS)
        leave = self.random.choice([[], [f"if ({self.condition()}) {{", "break;", "}"]])
        match self.random.randrange(7):
            case 0:
                return [f"if ({self.condition()}) {{", *self.statements(3), "} else {", *self.statements(2), "}"]
            case 1:
                self.locals.append(x)
                body = self.statements(3)
                self.locals.remove(x)
                return [f"for ({x} in {name}) {{", *body, *leave, "}"]
            case 2:
                self.locals.append(x)
                body = self.statements(3)
                self.locals.remove(x)
                return [f"int {x} = {self.number(1)};",
                        f"forall (v in g.nodes().filter(p > {x})) {{", f"v.p = {self.random.randrange(9)};", "}",
                        f"for (int i{x} = 0; i{x} < 3; i{x}++) {{", *body, *leave, "}"]  # fmt: skip
            case 3:
                self.locals.append(x)
                body = self.statements(2)
                self.locals.remove(x)
                return [f"for ({x} in g.nodes()) {{", *body, f"{x}.p = {self.number(1)};", *leave, "}"]
            case 4:
                body = [f"{scalar} += {x} & 7;", f"p[{x} % g.num_nodes()] += {self.random.randrange(3)};"]
                asked = self.random.choice(
                    ["", f".filter(p[{x} % 5] < {scalar})", f".filter({x} > {self.random.randrange(9)})"]
                )
                loop = [f"forall ({x} in {name}{asked}) {{", *body, "}", f"{scalar} = {scalar} & 511;"]
                return [*loop, *self.statements(1), *self.random.choice([[], loop])]
            case 5:
                n = self.fresh("n")
                return [f"int {n} = 0;", f"while ({n} < 3 && ({self.condition()})) {{", f"{n} += 1;",
                        *self.statements(2), "}"]  # fmt: skip
            case _:
                return [f"list<int> {x} = {name};", *self.guarded(x, [f"{self.random.choice(SCALARS)} = {x}[0];"])]
