// The explain page: one message of ICQ under a magnifying glass, and one round of challenges. Every
// number comes from the core or from a journal.

import { begin, get, problem } from "../api.js";
import { explainChallenges } from "../challenge.js";
import { add, axisBelow, Chart, gridAcross, label, nameBelow, nameEnds, PHONE } from "../chart.js";
import { d3 } from "../d3.js";
import { $, define, h } from "../dom.js";
import { count, number, plural } from "../format.js";

const WORDS = ["mu_hat", "earlier", "bits", "index", "arms", "delta", "sigma", "growth"];
let told = null;
let asked = 0;

function sentence(m) {
  const bits = h("span", { class: "symbol" }, m.symbol);
  const read = `. The learner reads ${number(m.mean)}: off by ${number(m.error)}, `;
  const bound = number(m.error_bound);
  if (m.contained) {
    const when = `In round ${m.index}, after ${count(m.pulls)} pulls, the agent sends `;
    return h("span", {}, when, bits, `${read}at most ${bound}.`);
  }
  const outside = "The mean lies outside the interval, so the agent sends the end bin ";
  const event = `more than the ${bound} that it believes. This is the event that δ pays for.`;
  return h("span", {}, outside, bits, `${read}${event}`);
}

function drawBins(svg, width) {
  const m = told.message;
  const top = 54;
  const height = 58;
  const low = Math.min(m.low, m.mu_hat, 0);
  const high = Math.max(m.high, m.mu_hat, 1);
  const room = (high - low) * 0.02;
  const x = d3.scaleLinear([low - room, high + room], [14, width - 14]);
  for (let i = 0; i < 2 ** m.symbol.length; i++) drawBin(svg, m, i, { x, top, height });
  const side = m.mu_hat > m.mean ? 1 : -1;
  needle(svg, x(m.mu_hat), top - 14, top + height, "μ̂", "", side);
  needle(svg, x(m.mean), top - 14, top + height, "decoded", "decoded", -side);
  const gap = { class: "gap", x1: x(m.mu_hat), x2: x(m.mean), y1: top - 4, y2: top - 4 };
  add(svg, "line", gap);
  const ticks = d3.axisBottom(x).ticks(Math.min(10, width / 70));
  axisBelow(svg, ticks.tickSizeOuter(0), top + height + 8);
  const y = top + height + 58;
  const around = (mean, radius) => [x(mean - radius), x(mean + radius)];
  const before = around(m.mean_before, m.radius_before);
  brace(svg, before, y, "the true mean, as believed before: ± U");
  brace(svg, [x(m.low), x(m.high)], y + 26, "so the agent’s mean must lie here: U′ wider");
  brace(svg, around(m.mean, m.radius), y + 52, "the true mean, as believed now: ± U");
  return y + 66;
}

function drawBin(svg, m, i, { x, top, height }) {
  const from = x(m.low + i * m.bin_width);
  const to = x(m.low + (i + 1) * m.bin_width);
  const sent = i === m.value;
  const width = Math.max(0.5, to - from);
  add(svg, "rect", { class: sent ? "bin chosen" : "bin", x: from, y: top, width, height });
  const name = i.toString(2).padStart(m.symbol.length, "0");
  if (to - from <= name.length * 7.5 + 4) return;
  add(svg, "text", {
    class: sent ? "needle-name decoded" : "quiet",
    x: (from + to) / 2,
    y: top + height - 10,
    "text-anchor": "middle",
  }).text(name);
}

function needle(svg, x, top, bottom, name, kind, side) {
  const anchor = side > 0 ? "start" : "end";
  const at = { class: `needle-name ${kind}`, x: x + 5 * side, y: top, "text-anchor": anchor };
  add(svg, "line", { class: `needle ${kind}`, x1: x, x2: x, y1: top, y2: bottom });
  add(svg, "text", at).text(name);
}

function brace(svg, [from, to], y, text) {
  const width = Number(svg.node().parentNode.clientWidth);
  const d = `M${from},${y - 4}v8M${from},${y}H${to}M${to},${y - 4}v8`;
  add(svg, "path", { class: "span", fill: "none", d });
  const room = Math.max(40, width - 20);
  const half = Math.min(room, text.length * 6.2) / 2;
  const middle = Math.min(Math.max((from + to) / 2, half + 6), width - half - 6);
  label(svg, text, room, { class: "quiet", x: middle, y: y - 6, "text-anchor": "middle" });
}

function drawRadii(svg, width) {
  const height = 300;
  const left = 46;
  const names = width < PHONE ? 96 : 110;
  const right = width - names;
  const top = 10;
  const bottom = height - 34;
  const rounds = told.steps.length;
  const u = told.steps.map((s) => s.u_prime);
  const own = told.steps.map((s) => s.radius);
  const others = told.schemes.filter((one) => !["icq", "exact"].includes(one.quantizer));
  const widest = d3.max([...own, ...others.flatMap((one) => one.radius)]);
  const x = d3.scaleLinear([1, rounds], [left, right]);
  const y = d3.scaleLog([d3.min(u) * 0.8, widest * 1.1], [bottom, top]);
  const below = d3.axisBottom(x).ticks(Math.min(rounds, width / 60));
  axisBelow(svg, below.tickSizeOuter(0), bottom);
  const beside = d3.axisLeft(y).tickValues(powers(y.domain()));
  gridAcross(svg, beside.tickFormat(d3.format("~g")), left, right);
  nameBelow(svg, "round", left, right, height - 2);
  const here = x(told.message.index);
  add(svg, "line", { class: "here", x1: here, x2: here, y1: top, y2: bottom });
  const bits = told.message.symbol.length;
  const curves = [
    ...others.map((one) => ({ group: "scheme", radius: one.radius, name: one.quantizer })),
    { group: "arm in", radius: u, name: "U′" },
    { group: "arm best", radius: own, name: `U at ${plural(bits, "bit")}` },
  ];
  const line = d3
    .line()
    .x((_, i) => x(i + 1))
    .y((r) => y(r));
  for (const { group, radius } of curves) {
    const style = group === "arm in" ? "line u-prime" : "line";
    add(add(svg, "g", { class: group }), "path", { class: style, d: line(radius) });
  }
  const ends = curves.map(({ group, radius, name }) => ({ group, name, at: y(radius.at(-1)) }));
  nameEnds(svg, ends, { right, room: names, top, bottom });
  return height;
}

// The powers of ten in a range.
function powers([low, high]) {
  const exponents = d3.range(Math.ceil(Math.log10(low)), Math.floor(Math.log10(high)) + 1);
  return exponents.map((power) => 10 ** power);
}

const bins = new Chart($("bins"), {
  title: "The interval and its bins",
  file: "explain-message",
  describe: () => {
    const { low, high, symbol } = told.message;
    const interval = `The interval from ${number(low)} to ${number(high)}`;
    return `${interval} in ${2 ** symbol.length} bins; bin ${symbol} holds the mean.`;
  },
  draw: drawBins,
  table: () => ({
    columns: Object.keys(told.message),
    rows: [Object.values(told.message).map((v) => (typeof v === "boolean" ? String(v) : v))],
  }),
});

const radii = new Chart($("radii"), {
  title: "U and U′ over the rounds",
  file: "explain-radii",
  describe: () => {
    const { u_prime, radius } = told.steps.at(-1);
    return `After ${told.steps.length} rounds U′ is ${number(u_prime)} and U is ${number(radius)}.`;
  },
  draw: drawRadii,
  table: () => ({
    columns: [
      "round",
      "pulls",
      "u_prime",
      "radius",
      ...told.schemes.map((one) => `radius_${one.quantizer}`),
    ],
    rows: told.steps.map((s, i) => [
      s.index,
      s.pulls,
      s.u_prime,
      s.radius,
      ...told.schemes.map((one) => one.radius[i]),
    ]),
  }),
});

async function ask() {
  const mine = ++asked;
  for (const output of document.querySelectorAll("#sliders output")) {
    output.textContent = $(output.htmlFor.value).value;
  }
  const query = new URLSearchParams(WORDS.map((word) => [word, $(word).value]));
  try {
    const answer = await get(`/explain?${query}`);
    if (mine !== asked) return;
    told = answer;
    problem(null);
  } catch (error) {
    if (mine === asked) problem(error.message);
    return;
  }
  const m = told.message;
  $("sentence").replaceChildren(sentence(m));
  define($("numbers"), [
    ["symbol", m.symbol],
    ["bin", `${count(m.value)} of 0–${count(2 ** m.symbol.length - 1)}`],
    ["interval L", `${number(m.low)} to ${number(m.high)}`],
    ["width of a bin", number(m.bin_width)],
    ["decoded μ̃", number(m.mean)],
    ["error |μ̃ − μ̂|", number(m.error)],
    ["its bound", number(m.error_bound)],
    ["U′", number(m.u_prime)],
    ["U before", number(m.radius_before)],
    ["U now", number(m.radius)],
  ]);
  bins.redraw();
  radii.redraw();
}

$("sliders").addEventListener("input", ask);
$("sliders").addEventListener("submit", (event) => event.preventDefault());
begin(async () => {
  await ask();
  await explainChallenges();
});
