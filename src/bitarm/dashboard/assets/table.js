// A table that stays fast: sorted by its headings, filtered, and shown a page at a time.

import { h } from "./dom.js";
import { count } from "./format.js";

// columns: { key, label, value(row) for sorting, cell(row) for showing, numeric }
export class PagedTable {
  constructor(place, { columns, caption, size = 50, filter = null, ...options }) {
    const { rowClass = () => null, empty = "nothing to show" } = options;
    Object.assign(this, { place, columns, size, sort: null, rowClass, empty });
    this.rows = [];
    this.page = 0;
    this.needle = "";
    this.headings = columns.map((column) => this.heading(column));
    this.body = h("tbody");
    this.status = h("span", { role: "status", class: "quiet" });
    this.previous = h("button", { type: "button", onclick: () => this.turn(-1) }, "Previous");
    this.next = h("button", { type: "button", onclick: () => this.turn(1) }, "Next");
    this.pager = h("div", { class: "pager" }, this.previous, this.status, this.next);
    if (filter) place.append(this.finder(filter));
    const head = h("thead", {}, h("tr", {}, this.headings));
    const table = h("table", {}, h("caption", { class: "unseen" }, caption), head, this.body);
    const region = { class: "wide", tabindex: 0, role: "region", "aria-label": caption };
    place.append(h("div", region, table), this.pager);
  }

  finder(name) {
    const oninput = (event) => {
      this.needle = event.target.value.toLowerCase();
      this.page = 0;
      this.draw();
    };
    const input = h("input", { type: "search", oninput });
    return h("p", { class: "controls" }, h("label", {}, `${name} `, input));
  }

  heading(column) {
    const sorted = () => {
      const descending =
        this.sort?.key === column.key ? !this.sort.descending : Boolean(column.numeric);
      this.sort = { key: column.key, descending };
      this.page = 0;
      this.draw();
    };
    const content = column.value
      ? h("button", { type: "button", onclick: sorted }, column.label)
      : column.label;
    return h("th", { scope: "col", class: column.numeric ? "number" : null }, content);
  }

  turn(pages) {
    this.page += pages;
    this.draw();
  }

  show(rows) {
    this.rows = rows;
    this.draw();
  }

  chosen() {
    const found = this.needle
      ? this.rows.filter((row) => row.name.toLowerCase().includes(this.needle))
      : this.rows;
    const column = this.columns.find((one) => one.key === this.sort?.key);
    if (!column) return found;
    const sign = this.sort.descending ? -1 : 1;
    return [...found].sort((a, b) => sign * compare(column.value(a), column.value(b)));
  }

  draw() {
    this.headings.forEach((heading, i) => {
      const here = this.sort?.key === this.columns[i].key;
      const order = this.sort?.descending ? "descending" : "ascending";
      if (here) heading.setAttribute("aria-sort", order);
      else heading.removeAttribute("aria-sort");
    });
    const rows = this.chosen();
    const pages = Math.max(1, Math.ceil(rows.length / this.size));
    this.page = Math.min(Math.max(this.page, 0), pages - 1);
    const shown = rows.slice(this.page * this.size, (this.page + 1) * this.size);
    this.body.replaceChildren(...shown.map((row) => this.line(row)));
    if (!shown.length) {
      const whole = { colspan: this.columns.length, class: "quiet" };
      this.body.append(h("tr", {}, h("td", whole, this.empty)));
    }
    this.pager.hidden = pages === 1;
    this.previous.disabled = this.page === 0;
    this.next.disabled = this.page === pages - 1;
    const first = this.page * this.size + 1;
    const range = `${count(first)}–${count(first + shown.length - 1)}`;
    this.status.textContent = `${range} of ${count(rows.length)}`;
  }

  line(row) {
    const cells = this.columns.map((column, i) =>
      h(
        i === 0 ? "th" : "td",
        {
          class: column.numeric ? "number" : null,
          "data-label": column.label,
          scope: i === 0 ? "row" : null,
          "data-key": column.key,
        },
        column.cell(row),
      ),
    );
    return h("tr", { class: this.rowClass(row), "data-row": row.id }, cells);
  }
}

function compare(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return a < b ? -1 : 1;
}
