// A small graph as SVG: forces place the nodes, a property colours them.
import { forceCenter, forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";
import { interpolateViridis, schemeTableau10 } from "d3-scale-chromatic";

const MARGIN = 32;
const SVG = "http://www.w3.org/2000/svg";
const MOST_LABELLED = 80;

// Places of the nodes in a picture of that width, the same each time.
export function placed(count, arcs, width) {
  const nodes = Array.from({ length: count }, () => ({}));
  const links = arcs.filter(([u, v]) => u !== v).map(([source, target]) => ({ source, target }));
  const length = Math.min(90, 900 / Math.sqrt(count + 1));
  forceSimulation(nodes)
    .force("link", forceLink(links).distance(length))
    .force("charge", forceManyBody().strength(-3 * length))
    .force("apart", forceCollide(12))
    .force("x", forceX().strength(0.06))
    .force("y", forceY().strength(0.09))
    .force("middle", forceCenter())
    .stop()
    .tick(300);
  return fitted(nodes, width);
}

const heightOf = (width) => Math.round((width * 2) / 3);

function fitted(nodes, width) {
  const height = heightOf(width);
  const span = (values) => [Math.min(...values), Math.max(...values)];
  const [left, right] = span(nodes.map((node) => node.x));
  const [top, bottom] = span(nodes.map((node) => node.y));
  const scale = Math.min((width - 2 * MARGIN) / (right - left || 1), (height - 2 * MARGIN) / (bottom - top || 1), 2.5);
  const [middleX, middleY] = [(left + right) / 2, (top + bottom) / 2];
  return nodes.map(({ x, y }) => [width / 2 + (x - middleX) * scale, height / 2 + (y - middleY) * scale]);
}

// A colour for each value, and a legend: [colour, words] pairs.
export function coloured(property) {
  const numbers = property.numbers.filter((number) => number !== null);
  if (property.type === "node" || property.type === "bool") return byKind(property);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const colour = (number) => interpolateViridis(0.12 + (0.83 * (number - least)) / (most - least || 1));
  const legend = !numbers.length ? [] : least === most ? [[colour(least), spelt(least)]]
    : [0, 0.25, 0.5, 0.75, 1].map((part) => [colour(least + part * (most - least)), part % 1 ? "" : spelt(least + part * (most - least))]);
  const missing = property.words.find((_, place) => property.numbers[place] === null);
  if (missing !== undefined) legend.push(["var(--no-value)", missing]);
  return { colours: property.numbers.map((n) => (n === null ? "var(--no-value)" : colour(n))), legend };
}

function byKind(property) {
  const kinds = [...new Set(property.words)];
  const ofBool = { True: "var(--accent)", False: "var(--no-value)" };
  const colour = (word) => ofBool[word] ?? (word === "-1" ? "var(--no-value)" : schemeTableau10[kinds.indexOf(word) % 10]);
  const legend = kinds.length > 10 ? [] : kinds.map((word) => [colour(word), word]);
  return { colours: property.words.map(colour), legend };
}

const spelt = (number) => String(Number(number.toPrecision(4)));

function element(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// The picture. `values` are words to show with each node, `marked` tells which arcs to draw strongly.
export function drawn({ ids, arcs, graph }, places, { width, title, colours, values, marked }) {
  const radius = ids.length > MOST_LABELLED ? 6 : 12;
  const svg = element("svg", { viewBox: `0 0 ${width} ${heightOf(width)}`, role: "img", "aria-label": title });
  const head = element("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
  head.append(element("path", { d: "M0 0.8 L8 4 L0 7.2 z", class: "head" }));
  svg.append(element("defs", {}, head));
  const ends = ([u, v]) => (graph.directed || u < v ? `${u} ${v}` : `${v} ${u}`);
  const strong = new Set(arcs.filter((_, arc) => marked?.[arc]).map(ends));
  for (const arc of arcs) {
    const [u, v] = arc;
    if (u === v || (!graph.directed && u > v)) continue;
    svg.append(line(places[u], places[v], radius, graph.directed, strong.has(ends(arc))));
  }
  places.forEach(([x, y], node) => {
    const group = element("g", { class: "node", transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` });
    group.append(element("title", {}, values ? `${ids[node]}: ${values[node]}` : ids[node]));
    group.append(element("circle", { r: radius, fill: colours?.[node] ?? "var(--accent)" }));
    if (radius > 6) group.append(label(ids[node]));
    svg.append(group);
  });
  return svg;
}

function label(id) {
  const text = id.length > 9 ? `${id.slice(0, 8)}…` : id;
  return element("text", id.length > 3 ? { y: 24 } : { y: 4, class: "inside" }, text);
}

function line([x1, y1], [x2, y2], radius, directed, strong) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const shorter = directed ? (radius + 2) / length : 0;
  const [x, y] = [x2 - (x2 - x1) * shorter, y2 - (y2 - y1) * shorter];
  const ends = { x1: x1.toFixed(1), y1: y1.toFixed(1), x2: x.toFixed(1), y2: y.toFixed(1) };
  const looks = { class: strong ? "arc strong" : "arc" };
  return element("line", { ...ends, ...looks, ...(directed ? { "marker-end": "url(#head)" } : {}) });
}
