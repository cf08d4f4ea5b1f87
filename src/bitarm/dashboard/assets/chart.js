// What every chart has around it: a title, a drawing that fits, its numbers, and downloads.

import { d3 } from "./d3.js";
import { h, headings, perFrame } from "./dom.js";

export const GLYPH = 7.4; // pixels that a letter takes at most, on average
export const PHONE = 560; // pixels of a drawing's width below which it is laid out for a phone
export const CROSS = "M-4,-4L4,4M-4,4L4,-4"; // where an arm fell

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
];

// draw(svg, width) draws and returns its height; table() gives { columns, rows } of plain values.
export class Chart {
  constructor(figure, { title, file, describe, draw, table }) {
    Object.assign(this, { figure, file, describe, table, drawing: draw });
    this.svg = d3.create("svg").attr("role", "img");
    this.details = h(
      "details",
      { ontoggle: () => this.fill() },
      h("summary", {}, "Numbers"),
      h("div", { class: "wide" }),
    );
    figure.classList.add("chart");
    const downloads = h(
      "span",
      { class: "downloads" },
      downloadButton(title, "CSV", () => this.saveCsv()),
      downloadButton(title, "SVG", () => this.saveSvg()),
    );
    const caption = h("figcaption", {}, h("h3", {}, title), downloads);
    figure.append(caption, this.svg.node(), this.details);
    this.redraw = perFrame(() => this.draw());
    this.width = 0; // not drawn yet: there may be nothing to draw
    new ResizeObserver(([entry]) => {
      const width = Math.floor(entry.contentRect.width);
      if (this.width && width !== this.width) this.redraw();
    }).observe(figure);
  }

  draw() {
    this.width = Math.floor(this.figure.clientWidth);
    if (this.width < 50) return;
    this.svg.selectAll("*").remove();
    const height = this.drawing(this.svg, this.width);
    this.svg
      .attr("width", this.width)
      .attr("height", height)
      .attr("viewBox", `0 0 ${this.width} ${height}`);
    this.svg.attr("aria-label", this.describe());
    this.fill();
  }

  fill() {
    if (!this.details.open) return;
    const { columns, rows } = this.table();
    const cell = (value) => (typeof value === "number" ? String(value) : (value ?? ""));
    const line = (row) => h("tr", {}, ...row.map((value) => h("td", {}, cell(value))));
    const body = h("tbody", {}, ...rows.slice(0, 500).map(line));
    this.details.lastChild.replaceChildren(h("table", {}, headings(columns), body));
  }

  saveCsv() {
    const { columns, rows } = this.table();
    const lines = [columns, ...rows].map((row) => `${row.map(quoted).join(",")}\n`);
    save(`${this.file}.csv`, "text/csv", lines.join(""));
  }

  saveSvg() {
    const copy = this.svg.node().cloneNode(true);
    const originals = this.svg.node().querySelectorAll("*");
    copy.querySelectorAll("*").forEach((element, i) => {
      const style = getComputedStyle(originals[i]);
      for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name));
    });
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    paper.setAttribute("width", "100%");
    paper.setAttribute("height", "100%");
    paper.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
    copy.prepend(paper);
    save(`${this.file}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(copy));
  }
}

function downloadButton(title, kind, onclick) {
  const name = `Download ${title} as ${kind}`;
  return h("button", { type: "button", onclick, "aria-label": name }, kind);
}

// A leading apostrophe keeps spreadsheets from running a name as a formula.
function quoted(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// An SVG element with its attributes.
export function add(parent, tag, attributes) {
  return dress(parent.append(tag), attributes);
}

function dress(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.attr(name, value);
  return node;
}

// An SVG text that ends in an ellipsis where it would not fit; the whole stands in its title.
export function label(parent, text, room, attributes, glyph = GLYPH) {
  const node = parent.append("text");
  const most = Math.max(3, Math.floor(room / glyph));
  node.text(text.length > most ? `${text.slice(0, most - 1)}…` : text);
  if (text.length > most) node.append("title").text(text);
  return dress(node, attributes);
}

// Names of lines at their right ends, moved apart where the lines end close together.
// ends: { at, name, group }, where `at` is a line's height and `group` the class of its name.
export function nameEnds(svg, ends, { right, room, top, bottom }) {
  ends.sort((a, b) => a.at - b.at);
  for (let i = 1; i < ends.length; i++) ends[i].at = Math.max(ends[i].at, ends[i - 1].at + 14);
  const over = ends.length ? Math.max(0, ends.at(-1).at - bottom) : 0;
  for (const { at, name, group } of ends) {
    const y = Math.max(top, at - over) + 4;
    label(add(svg, "g", { class: group }), name, room, { class: "name", x: right + 8, y });
  }
}

// Whether two texts would touch: each from x on for its width, standing on y.
export const overlap = (a, b) =>
  Math.abs(a.y - b.y) < 13 && a.x < b.x + b.width && b.x < a.x + a.width;

// Axes in the chart's own dress.
export function axis(svg, maker, x, y, name) {
  add(svg, "g", { class: `axis ${name}`, transform: `translate(${x},${y})` }).call(maker);
}

export function axisBelow(svg, maker, bottom) {
  axis(svg, maker, 0, bottom, "x");
}

// An axis at the left whose ticks are lines across the drawing.
export function gridAcross(svg, maker, left, right) {
  axis(svg, maker.tickSize(left - right), left, 0, "grid");
}

// What an axis along the bottom measures.
export function nameBelow(svg, text, left, right, y) {
  const attributes = { class: "quiet", x: (left + right) / 2, y, "text-anchor": "middle" };
  add(svg, "text", attributes).text(text);
}
