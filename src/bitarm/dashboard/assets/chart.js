// What every chart has around it: a title, a drawing that fits, its numbers, and downloads.

import { d3 } from "./d3.js";
import { h, perFrame } from "./dom.js";

const GLYPH = 7.4; // pixels that a letter takes at most, on average

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
    figure.append(
      h(
        "figcaption",
        {},
        h("h3", {}, title),
        h(
          "span",
          { class: "downloads" },
          h(
            "button",
            {
              type: "button",
              onclick: () => this.saveCsv(),
              "aria-label": `Download ${title} as CSV`,
            },
            "CSV",
          ),
          h(
            "button",
            {
              type: "button",
              onclick: () => this.saveSvg(),
              "aria-label": `Download ${title} as SVG`,
            },
            "SVG",
          ),
        ),
      ),
      this.svg.node(),
      this.details,
    );
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
    this.details.lastChild.replaceChildren(
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            columns.map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        h(
          "tbody",
          {},
          rows.slice(0, 500).map((row) =>
            h(
              "tr",
              {},
              row.map((value) => h("td", {}, cell(value))),
            ),
          ),
        ),
      ),
    );
  }

  saveCsv() {
    const { columns, rows } = this.table();
    save(
      `${this.file}.csv`,
      "text/csv",
      [columns, ...rows].map((row) => row.map(quoted).join(",")).join("\n") + "\n",
    );
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

// An SVG text that ends in an ellipsis where it would not fit; the whole stands in its title.
export function label(parent, text, room, glyph = GLYPH) {
  const node = parent.append("text");
  const most = Math.max(3, Math.floor(room / glyph));
  node.text(text.length > most ? `${text.slice(0, most - 1)}…` : text);
  if (text.length > most) node.append("title").text(text);
  return node;
}

// Axes in the chart's own dress.
export function axis(svg, maker, x, y, name) {
  return svg
    .append("g")
    .attr("class", `axis ${name}`)
    .attr("transform", `translate(${x},${y})`)
    .call(maker);
}
