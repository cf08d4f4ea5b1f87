// The compare page: what runs and saved simulations cost, beside the lower bound and the paper.

import { begin, get, post, problem } from "../api.js";
import { add, axisBelow, Chart, GLYPH, gridAcross, label, nameBelow, overlap } from "../chart.js";
import { d3 } from "../d3.js";
import { $, h } from "../dom.js";
import { compact, count, number, plural, scheme } from "../format.js";
import { PagedTable } from "../table.js";

const chosen = new Set(
  new URLSearchParams(location.search).get("runs")?.split(",").map(Number).filter(Boolean) ?? [],
);
const files = new Map();
const MOST_BYTES = 4 << 20; // of a comparison: the server refuses more
let points = [];
let curves = [];
let asked = 0;

const DIAMOND = d3.symbol(d3.symbolDiamond, 70)();
const LEAST_BITS =
  "a lower bound on the expected bits of any scheme whose agents speak when asked: " +
  "1 − 2δ for each arm";

// What a run cost that named nobody is no price of an answer.
const unanswered = (point) =>
  point.source === "run" && !["decided", "budget_spent"].includes(point.outcome);

const shownCurves = () => curves.filter((curve) => curve.experiment === $("experiment").value);

const COLUMNS = [
  "source",
  "label",
  "scheme",
  "samples",
  "samples_sem",
  "payload_bits",
  "payload_bits_sem",
  "rounds",
  "delta",
  "lower_bound",
  "least_bits",
];

// A published curve as points, with what the paper tells of each.
const paperPoints = (curve) =>
  curve.x.map((_, i) => ({
    source: "paper",
    label: `${curve.experiment} ${curve.series}`,
    scheme: curve.series,
    samples: curve.samples[i],
    payload_bits: curve.payload_bits[i],
  }));

const chart = new Chart($("prices"), {
  title: "Samples against bits",
  file: "compare",
  describe,
  draw,
  table: () => ({
    columns: COLUMNS,
    rows: [...points, ...shownCurves().flatMap(paperPoints)].map((p) =>
      COLUMNS.map((column) => p[column] ?? null),
    ),
  }),
});

function describe() {
  if (!points.length) return "Nothing chosen yet.";
  const price = (p) => `${count(p.samples)} samples and ${count(p.payload_bits)} bits`;
  const told = points.map((p) => `${p.label} with ${price(p)}`);
  return `${plural(points.length, "point")}: ${told.join("; ")}.`;
}

function draw(svg, width) {
  const height = 420;
  const left = 58;
  const right = width - 16;
  const top = 30;
  const bottom = height - 44;
  const all = [...points, ...shownCurves().flatMap(paperPoints)];
  if (!all.length) {
    const hint = add(svg, "text", { class: "quiet", x: left, y: 60 });
    hint.text("Choose runs, files or a published curve.");
    return 110;
  }
  const bounds = [...new Set(points.map((p) => p.lower_bound).filter((b) => b))];
  const x = d3.scaleLog(stretched([...all.map((p) => p.samples), ...bounds]), [left, right]);
  const y = d3.scaleLog(stretched(all.map((p) => p.payload_bits)), [bottom, top]);
  const below = d3.axisBottom(x).tickFormat(compact).tickSizeOuter(0);
  axisBelow(svg, below.tickValues(ticks(x, width / 70)), bottom);
  gridAcross(svg, d3.axisLeft(y).tickValues(ticks(y, 8)).tickFormat(compact), left, right);
  nameBelow(svg, "samples", left, right, height - 6);
  add(svg, "text", { class: "quiet", x: left, y: 14 }).text("payload bits");
  for (const curve of shownCurves()) paperCurve(svg, curve, x, y);
  for (const bound of bounds.map(x)) {
    add(svg, "line", { class: "bound", x1: bound, x2: bound, y1: top, y2: bottom });
  }
  if (bounds.length) {
    // above the plot, where neither lines nor points are; on a phone in a row of its own
    const at = { class: "bound-name", x: right, y: width < 480 ? 30 : 14, "text-anchor": "end" };
    const name = `lower bound${bounds.length > 1 ? "s" : ""} on samples, if arms are Gaussian`;
    add(svg, "text", at).text(name);
  }
  const spot = (point) => [x(point.samples), y(Math.max(1, point.payload_bits))];
  const taken = points.map(spot).map(([cx, cy]) => ({ x: cx - 6, y: cy + 4, width: 12 }));
  const room = Math.min(230, width / 2); // for what tells a setting from the others
  const name = beside(taken, { room, left, right, top, bottom });
  for (const point of [...points].sort((a, b) => b.payload_bits - a.payload_bits)) {
    const group = mark(svg, point, x, spot(point));
    const told = unanswered(point) ? `${point.label}, no answer` : point.label;
    name(group, point.source === "run" ? told : point.scheme, spot(point));
  }
  for (const curve of shownCurves()) {
    const end = d3.greatest(paperPoints(curve), (p) => p.samples);
    name(svg, curve.series, spot(end), "quiet");
  }
  return height;
}

function mark(svg, point, x, [cx, cy]) {
  const kind = `${point.source}${unanswered(point) ? " unanswered" : ""}`;
  const group = add(svg, "g", { class: `point ${kind}`, "data-label": point.label });
  if (point.samples_sem) {
    const x1 = x(Math.max(1, point.samples - 2 * point.samples_sem));
    const x2 = x(point.samples + 2 * point.samples_sem);
    add(group, "line", { class: "sem", x1, x2, y1: cy, y2: cy });
  }
  if (point.source === "run") add(group, "circle", { cx, cy, r: 5 });
  else add(group, "path", { d: DIAMOND, transform: `translate(${cx},${cy})` });
  const price = `${count(point.samples)} samples, ${count(point.payload_bits)} bits`;
  group.append("title").text(`${point.label}, ${point.scheme}: ${price}`);
  return group;
}

// Writes names beside their points where they touch no other; one that has no room is left to
// the table and to the point's title.
function beside(taken, { room, left, right, top, bottom }) {
  return (group, text, [cx, cy], style = "") => {
    const width = Math.min(text.length * GLYPH, room);
    const places = [0, 13, -13, 26, -26, 39, -39].flatMap((down) => [
      { x: cx + 10, y: cy + 4 + down, width, at: cx + 10, anchor: "start" },
      { x: cx - 10 - width, y: cy + 4 + down, width, at: cx - 10, anchor: "end" },
    ]);
    const fits = (one) =>
      one.x > left && one.x + width < right && one.y > top + 8 && one.y < bottom - 2;
    const free = (one) => fits(one) && !taken.some((other) => overlap(other, one));
    const place = places.find(free);
    if (!place) return;
    taken.push(place);
    const attributes = { x: place.at, y: place.y, "text-anchor": place.anchor, class: style };
    label(group, text, room, attributes);
  };
}

function paperCurve(svg, curve, x, y) {
  const at = curve.samples.map((s, i) => [x(s), y(curve.payload_bits[i])]);
  add(svg, "path", { class: "paper-curve", d: d3.line()(at) });
  for (const [cx, cy] of at) add(svg, "circle", { class: "paper-dot", cx, cy, r: 2.5 });
}

// A domain with room around it, never empty.
function stretched(values) {
  const low = Math.max(1, d3.min(values));
  const high = Math.max(low * 1.01, d3.max(values));
  const room = Math.max(1.25, (high / low) ** 0.08);
  return [low / room, high * room];
}

// 1, 2 and 5 of every power of ten, as many as fit.
function ticks(scale, most) {
  const [low, high] = scale.domain();
  const powers = d3.range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)) + 1);
  const choices = [[1, 2, 5], [1, 3], [1]].map((steps) =>
    powers
      .flatMap((power) => steps.map((s) => s * 10 ** power))
      .filter((t) => t >= low && t <= high),
  );
  const found = choices.find((choice) => choice.length <= most) ?? choices.at(-1);
  return found.length > 1 ? found : scale.ticks(4);
}

const table = new PagedTable($("points"), {
  caption: "What was compared",
  size: 25,
  empty: "nothing chosen yet",
  columns: [
    { key: "label", label: "What", value: (p) => p.label, cell: (p) => p.label },
    { key: "scheme", label: "Scheme", value: (p) => p.scheme, cell: (p) => p.scheme },
    {
      key: "samples",
      label: "Samples",
      value: (p) => p.samples,
      cell: (p) => withError(p.samples, p.samples_sem),
      numeric: true,
    },
    {
      key: "payload_bits",
      label: "Bits",
      value: (p) => p.payload_bits,
      cell: (p) => withError(p.payload_bits, p.payload_bits_sem),
      numeric: true,
    },
    {
      key: "rounds",
      label: "Rounds",
      value: (p) => p.rounds,
      cell: (p) => number(p.rounds),
      numeric: true,
    },
    {
      key: "saved",
      label: "Raw ÷ bits",
      value: (p) => p.raw_bits / p.payload_bits,
      cell: (p) => (p.payload_bits ? `${compact(Math.round(p.raw_bits / p.payload_bits))}×` : "–"),
      numeric: true,
    },
    {
      key: "least_bits",
      label: "Bits at least",
      value: (p) => p.least_bits,
      cell: (p) => orNone(p.least_bits, number, LEAST_BITS),
      numeric: true,
    },
    {
      key: "lower_bound",
      label: "Samples at least",
      value: (p) => p.lower_bound,
      cell: (p) => orNone(p.lower_bound, count, p.lower_bound_note),
      numeric: true,
    },
    {
      key: "outcome",
      label: "Outcome",
      value: (p) => p.outcome,
      cell: (p) => p.outcome ?? `${compact(p.trials)} trials, wrong ${number(p.error_rate)}`,
    },
  ],
});

const orNone = (value, format, title) =>
  h("span", { title }, value === null ? "none" : format(value));

const withError = (mean, sem) =>
  sem ? `${compact(Math.round(mean))} ± ${compact(Math.round(2 * sem))}` : count(mean);

async function ask() {
  const mine = ++asked;
  const address = chosen.size ? `?runs=${[...chosen].join(",")}` : location.pathname;
  history.replaceState(null, "", address);
  const results = [...files].map(([name, simulation]) => ({ name, simulation }));
  try {
    const answer = await post("/compare", { runs: [...chosen], results });
    if (mine !== asked) return;
    points = answer.points.map((point, id) => ({ ...point, id, name: point.label }));
    problem(null);
  } catch (error) {
    if (mine === asked) problem(error.message);
  }
  table.show(points);
  chart.redraw();
}

function choose(event) {
  const run = Number(event.target.value);
  if (event.target.checked) chosen.add(run);
  else chosen.delete(run);
  ask();
}

const tooLong = (file) =>
  `${file.name} has ${count(file.size)} bytes, a comparison at most ${count(MOST_BYTES)}`;

async function upload(event) {
  let wrong = null;
  for (const file of event.target.files) {
    try {
      if (file.size > MOST_BYTES) throw new Error(tooLong(file));
      const simulation = JSON.parse(await file.text());
      await post("/compare", { runs: [], results: [{ name: file.name, simulation }] });
      files.set(file.name, simulation);
    } catch (error) {
      const where = error instanceof SyntaxError ? `${file.name} is no JSON: ` : "";
      wrong = `${where}${error.message}`;
    }
  }
  event.target.value = "";
  listFiles();
  await ask();
  if (wrong) problem(wrong); // last: what could be read is shown without complaint
}

function listFiles() {
  $("file-list").replaceChildren(
    ...[...files.keys()].map((name) => h("li", {}, `${name} `, removeButton(name))),
  );
}

function removeButton(name) {
  const onclick = () => {
    files.delete(name);
    listFiles();
    ask();
  };
  const properties = { type: "button", class: "quiet", onclick, "aria-label": `Remove ${name}` };
  return h("button", properties, "remove");
}

function checkbox(run, about) {
  const checked = chosen.has(run);
  const box = h("input", { type: "checkbox", value: run, checked, onchange: choose });
  return h("label", {}, box, ` Run ${run} · ${about}`);
}

function runChoice(row) {
  const ended = row.best_arm_name ?? row.outcome?.replaceAll("_", " ") ?? "open";
  return checkbox(row.run, `${scheme(row)} · ${ended}`);
}

// Runs that the page's address names and the list has not: older ones, or some that are gone.
function otherChoices(runs) {
  const listed = new Set(runs.map((row) => row.run));
  return [...chosen]
    .filter((run) => !listed.has(run))
    .map((run) => checkbox(run, "not in this list"));
}

begin(async () => {
  $("files").addEventListener("change", upload);
  $("experiment").addEventListener("change", () => chart.redraw());
  $("choice").addEventListener("submit", (event) => event.preventDefault());
  curves = (await get("/paper")).curves;
  for (const name of new Set(curves.map((curve) => curve.experiment))) {
    $("experiment").append(h("option", { value: name }, name));
  }
  if (!curves.length) $("experiment").closest("fieldset").hidden = true;
  chart.redraw();
  const { runs } = await get("/runs?limit=200");
  $("run-choices").replaceChildren(...otherChoices(runs), ...runs.map(runChoice));
  await ask();
});
