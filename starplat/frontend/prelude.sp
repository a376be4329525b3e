// The functions of the language that are written in it. A program gets those that it calls.

// The neighbor of v in place i, counted from 0; -1 beyond the last.
function neighbor_at(Graph g, node v, int i) {
  edge e = g.first_edge(v) + i;
  return i >= 0 && i < g.degree(v) ? e.destination : -1;
}

// The arc back; among parallel arcs the one of the same rank, -1 if there is none.
function arc_back(Graph g, edge e) {
  node u = e.source;
  node v = e.destination;
  edge first = g.get_edge(v, u);
  edge back = first + (e - g.get_edge(u, v));
  return first >= 0 && back < g.first_edge(v) + g.degree(v) && back.destination == u ? back : -1;
}

// Words 0 and 1, or 2 and 3 if `second`, of Philox4x32-10 (Salmon et al., SC 2011) with key `seed` and counter `i`.
// A product of 32 bits each is computed from the 16th bit on and below, so that nothing overflows.
function random_bits(long seed, long i, bool second) {
  long low = 4294967295;
  long a = i & low;
  long b = i >> 32 & low;
  long c = 0;
  long d = 0;
  long first_key = seed & low;
  long second_key = seed >> 32 & low;
  for (int round = 0; round < 10; round++) {
    long p = (a & 65535) * 3528531795;
    long q = (c & 65535) * 3449720151;
    long x = (a >> 16) * 3528531795 + (p >> 16);
    long y = (c >> 16) * 3449720151 + (q >> 16);
    a = y >> 16 ^ b ^ first_key;
    b = (y << 16 | q & 65535) & low;
    c = x >> 16 ^ d ^ second_key;
    d = (x << 16 | p & 65535) & low;
    first_key = first_key + 2654435769 & low;
    second_key = second_key + 3144134277 & low;
  }
  return second ? d << 32 | c : b << 32 | a;
}

// A real from 0 up to 1 (never 1) of 53 random bits.
function random(long seed, long i) {
  return double(random_bits(seed, i, False) >> 11 & 9007199254740991) * 1.1102230246251565e-16;
}

// A whole number from 0 up to n - 1: the high half of the product of n and 64 random bits.
function randomInt(long seed, long i, int n) {
  long bits = random_bits(seed, i, True);
  return int((bits >> 32 & 4294967295) * n + ((bits & 4294967295) * n >> 32) >> 32);
}

// How many updates a list holds.
function updates_in(Graph g, updates<g> listed) {
  int count = 0;
  forall (u in listed) {
    count += 1;
  }
  return count;
}

// Sets the flag of every node that a node with the flag reaches.
function propagate_flags(Graph g, propNode<bool> flag) {
  propNode<bool> active = flag;
  fixedPoint until (settled : !active) {
    forall (v in g.nodes().filter(active)) {
      for (w in g.neighbors(v)) {
        if (!w.flag) {
          w.flag = True;
          w.active = True;
        }
      }
    }
  }
}
