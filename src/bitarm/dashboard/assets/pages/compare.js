// The compare page: what runs and saved simulations cost, beside the lower bound and the paper.

import { begin, get, post, problem } from "../api.js";
import { axis, Chart, label } from "../chart.js";
import { d3 } from "../d3.js";
import { $, h } from "../dom.js";
import { compact, count, number, plural, scheme } from "../format.js";
import { PagedTable } from "../table.js";

const chosen = new Set(
  new URLSearchParams(location.search).get("runs")?.split(",").map(Number).filter(Boolean) ?? [],
);
const files = new Map();
let points = [],
  curves = [],
  asked = 0;

const shownCurves = () => curves.filter((curve) => curve.experiment === $("experiment").value);

const chart = new Chart($("prices"), {
  title: "Samples against bits",
  file: "compare",
  describe: () =>
    points.length
      ? `${plural(points.length, "point")}: ${points.map((p) => `${p.label} with ${count(p.samples)} samples and ${count(p.payload_bits)} bits`).join("; ")}.`
      : "Nothing chosen yet.",
  draw,
  table: () => ({
    columns: [
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
    ],
    rows: [
      ...points.map((p) => [
        p.source,
        p.label,
        p.scheme,
        p.samples,
        p.samples_sem,
        p.payload_bits,
        p.payload_bits_sem,
        p.rounds,
        p.delta,
        p.lower_bound,
        p.least_bits,
      ]),
      ...shownCurves().flatMap((c) =>
        c.x.map((_, i) => [
          "paper",
          `${c.experiment} ${c.series}`,
          c.series,
          c.samples[i],
          null,
          c.payload_bits[i],
          null,
          null,
          null,
          null,
          null,
        ]),
      ),
    ],
  }),
});

function draw(svg, width) {
  const height = 420,
    left = 58,
    right = width - 16,
    top = 30,
    bottom = height - 44;
  const bounds = [...new Set(points.map((p) => p.lower_bound).filter((b) => b))];
  const all = [
    ...points.map((p) => [p.samples, p.payload_bits]),
    ...shownCurves().flatMap((c) => c.samples.map((s, i) => [s, c.payload_bits[i]])),
  ];
  if (!all.length) {
    svg
      .append("text")
      .attr("class", "quiet")
      .attr("x", left)
      .attr("y", 60)
      .text("Choose runs, files or a published curve.");
    return 110;
  }
  const x = d3.scaleLog(stretched([...all.map((p) => p[0]), ...bounds]), [left, right]);
  const y = d3.scaleLog(stretched(all.map((p) => p[1])), [bottom, top]);
  axis(
    svg,
    d3
      .axisBottom(x)
      .tickFormat(compact)
      .tickSizeOuter(0)
      .tickValues(ticks(x, width / 70)),
    0,
    bottom,
    "x",
  );
  axis(
    svg,
    d3
      .axisLeft(y)
      .tickValues(ticks(y, 8))
      .tickFormat(compact)
      .tickSize(-(right - left)),
    left,
    0,
    "grid",
  );
  svg
    .append("text")
    .attr("class", "quiet")
    .attr("x", (left + right) / 2)
    .attr("y", height - 6)
    .attr("text-anchor", "middle")
    .text("samples");
  svg.append("text").attr("class", "quiet").attr("x", left).attr("y", 14).text("payload bits");
  for (const curve of shownCurves()) paperCurve(svg, curve, x, y, right);
  for (const bound of bounds) {
    svg
      .append("line")
      .attr("class", "bound")
      .attr("x1", x(bound))
      .attr("x2", x(bound))
      .attr("y1", top)
      .attr("y2", bottom);
  }
  if (bounds.length) {
    // above the plot, where neither lines nor points are; on a phone in a row of its own
    const name = `lower bound${bounds.length > 1 ? "s" : ""} on samples, if arms are Gaussian`;
    svg
      .append("text")
      .attr("class", "bound-name")
      .attr("x", right)
      .attr("y", width < 480 ? 30 : 14)
      .attr("text-anchor", "end")
      .text(name);
  }
  const taken = [];
  for (const point of [...points].sort((a, b) => b.payload_bits - a.payload_bits))
    place(svg, point, x, y, width, taken);
  return height;
}

function place(svg, point, x, y, width, taken) {
  const group = svg
    .append("g")
    .attr("class", `point ${point.source}`)
    .attr("data-label", point.label);
  const [cx, cy] = [x(point.samples), y(Math.max(1, point.payload_bits))];
  if (point.samples_sem)
    group
      .append("line")
      .attr("class", "sem")
      .attr("x1", x(Math.max(1, point.samples - 2 * point.samples_sem)))
      .attr("x2", x(point.samples + 2 * point.samples_sem))
      .attr("y1", cy)
      .attr("y2", cy);
  if (point.source === "run") group.append("circle").attr("cx", cx).attr("cy", cy).attr("r", 5);
  else
    group
      .append("path")
      .attr("d", d3.symbol(d3.symbolDiamond, 70)())
      .attr("transform", `translate(${cx},${cy})`);
  group
    .append("title")
    .text(
      `${point.label}, ${point.scheme}: ${count(point.samples)} samples, ${count(point.payload_bits)} bits`,
    );
  const text = point.source === "run" ? point.label : point.scheme;
  const left = cx > width - 150;
  let at = cy + 4;
  while (taken.some((one) => Math.abs(one.x - cx) < 110 && Math.abs(one.y - at) < 13)) at += 13;
  taken.push({ x: cx, y: at });
  label(group, text, 150)
    .attr("x", cx + (left ? -10 : 10))
    .attr("y", at)
    .attr("text-anchor", left ? "end" : "start");
}

function paperCurve(svg, curve, x, y, right) {
  const at = curve.samples.map((s, i) => [x(s), y(curve.payload_bits[i])]);
  svg.append("path").attr("class", "paper-curve").attr("d", d3.line()(at));
  for (const [cx, cy] of at)
    svg.append("circle").attr("class", "paper-dot").attr("cx", cx).attr("cy", cy).attr("r", 2.5);
  const last = at.reduce((a, b) => (b[0] > a[0] ? b : a));
  const end = last[0] > right - 90;
  svg
    .append("text")
    .attr("class", "quiet")
    .attr("x", last[0] + (end ? -4 : 7))
    .attr("y", last[1] - (end ? 8 : -4))
    .attr("text-anchor", end ? "end" : "start")
    .text(curve.series);
}

// A domain with room around it, never empty.
function stretched(values) {
  const low = Math.max(1, d3.min(values)),
    high = Math.max(low * 1.01, d3.max(values));
  const room = Math.max(1.25, (high / low) ** 0.08);
  return [low / room, high * room];
}

// 1, 2 and 5 of every power of ten, as many as fit.
function ticks(scale, most) {
  const [low, high] = scale.domain();
  for (const steps of [[1, 2, 5], [1, 3], [1]]) {
    const found = d3
      .range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)) + 1)
      .flatMap((power) => steps.map((s) => s * 10 ** power))
      .filter((t) => t >= low && t <= high);
    if (found.length <= most || steps.length === 1)
      return found.length > 1 ? found : scale.ticks(4);
  }
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
      cell: (p) =>
        h(
          "span",
          {
            title:
              "a lower bound on the expected bits of any scheme whose agents speak when asked: 1 − 2δ for each arm",
          },
          p.least_bits === null ? "none" : number(p.least_bits),
        ),
      numeric: true,
    },
    {
      key: "lower_bound",
      label: "Samples at least",
      value: (p) => p.lower_bound,
      cell: (p) =>
        h(
          "span",
          { title: p.lower_bound_note },
          p.lower_bound === null ? "none" : count(p.lower_bound),
        ),
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

async function upload(event) {
  let wrong = null;
  for (const file of event.target.files) {
    try {
      const simulation = JSON.parse(await file.text());
      await post("/compare", { runs: [], results: [{ name: file.name, simulation }] });
      files.set(file.name, simulation);
    } catch (error) {
      wrong =
        error instanceof SyntaxError ? `${file.name} is no JSON: ${error.message}` : error.message;
    }
  }
  event.target.value = "";
  listFiles();
  await ask();
  if (wrong) problem(wrong); // last: what could be read is shown without complaint
}

function listFiles() {
  const forget = (name) => () => {
    files.delete(name);
    listFiles();
    ask();
  };
  $("file-list").replaceChildren(
    ...[...files.keys()].map((name) =>
      h(
        "li",
        {},
        `${name} `,
        h(
          "button",
          { type: "button", class: "quiet", onclick: forget(name), "aria-label": `Remove ${name}` },
          "remove",
        ),
      ),
    ),
  );
}

begin(async () => {
  $("files").addEventListener("change", upload);
  $("experiment").addEventListener("change", () => chart.redraw());
  $("choice").addEventListener("submit", (event) => event.preventDefault());
  curves = (await get("/paper")).curves;
  for (const name of new Set(curves.map((curve) => curve.experiment)))
    $("experiment").append(h("option", { value: name }, name));
  if (!curves.length) $("experiment").closest("fieldset").hidden = true;
  chart.redraw();
  const { runs } = await get("/runs?limit=200");
  $("run-choices").replaceChildren(
    ...runs.map((row) =>
      h(
        "label",
        {},
        h("input", {
          type: "checkbox",
          value: row.run,
          checked: chosen.has(row.run),
          onchange: choose,
        }),
        ` Run ${row.run} · ${scheme(row)} · ${row.best_arm_name ?? row.outcome ?? "open"}`,
      ),
    ),
  );
  await ask();
});
