// The explain page: one message of ICQ under a magnifying glass. Every number comes from the core.

import { begin, get, problem } from "../api.js";
import { axis, Chart, label } from "../chart.js";
import { d3 } from "../d3.js";
import { $, define, h } from "../dom.js";
import { count, number } from "../format.js";

const WORDS = ["mu_hat", "earlier", "bits", "index", "arms", "delta", "sigma", "growth"];
let told = null;
let asked = 0;

function sentence(m) {
  const bits = h("span", { class: "symbol" }, m.symbol);
  if (m.contained) {
    return h(
      "span",
      {},
      `In round ${m.index}, after ${count(m.pulls)} pulls, the agent sends `,
      bits,
      `. The learner reads ${number(m.mean)}: off by ${number(m.error)}, at most ${number(m.error_bound)}.`,
    );
  }
  return h(
    "span",
    {},
    `The mean lies outside the interval, so the agent sends the end bin `,
    bits,
    `. The learner reads ${number(m.mean)}: off by ${number(m.error)}, more than the ${number(m.error_bound)} that it believes. This is the event that δ pays for.`,
  );
}

function drawBins(svg, width) {
  const m = told.message;
  const bins = 2 ** m.symbol.length;
  const left = 14,
    right = width - 14,
    top = 54,
    height = 58;
  const low = Math.min(m.low, m.mu_hat, 0),
    high = Math.max(m.high, m.mu_hat, 1);
  const room = (high - low) * 0.02;
  const x = d3.scaleLinear([low - room, high + room], [left, right]);
  for (let i = 0; i < bins; i++) {
    const from = x(m.low + i * m.bin_width),
      to = x(m.low + (i + 1) * m.bin_width);
    svg
      .append("rect")
      .attr("class", i === m.value ? "bin chosen" : "bin")
      .attr("x", from)
      .attr("y", top)
      .attr("width", Math.max(0.5, to - from))
      .attr("height", height);
    const name = i.toString(2).padStart(m.symbol.length, "0");
    if (to - from > name.length * 7.5 + 4) {
      svg
        .append("text")
        .attr("class", i === m.value ? "needle-name decoded" : "quiet")
        .attr("x", (from + to) / 2)
        .attr("y", top + height - 10)
        .attr("text-anchor", "middle")
        .text(name);
    }
  }
  needle(svg, x(m.mu_hat), top - 14, top + height, "μ̂", "", m.mu_hat > m.mean ? 1 : -1);
  needle(svg, x(m.mean), top - 14, top + height, "decoded", "decoded", m.mu_hat > m.mean ? -1 : 1);
  svg
    .append("line")
    .attr("class", "gap")
    .attr("x1", x(m.mu_hat))
    .attr("x2", x(m.mean))
    .attr("y1", top - 4)
    .attr("y2", top - 4);
  axis(
    svg,
    d3
      .axisBottom(x)
      .ticks(Math.min(10, width / 70))
      .tickSizeOuter(0),
    0,
    top + height + 8,
    "x",
  );
  const y = top + height + 58;
  brace(
    svg,
    x(m.mean_before - m.radius_before),
    x(m.mean_before + m.radius_before),
    y,
    "the true mean, as believed before: ± U",
  );
  brace(svg, x(m.low), x(m.high), y + 26, "so the agent’s mean must lie here: U′ wider");
  brace(
    svg,
    x(m.mean - m.radius),
    x(m.mean + m.radius),
    y + 52,
    "the true mean, as believed now: ± U",
  );
  return y + 66;
}

function needle(svg, x, top, bottom, name, kind, side) {
  svg
    .append("line")
    .attr("class", `needle ${kind}`)
    .attr("x1", x)
    .attr("x2", x)
    .attr("y1", top)
    .attr("y2", bottom);
  svg
    .append("text")
    .attr("class", `needle-name ${kind}`)
    .attr("x", x + 5 * side)
    .attr("y", top)
    .attr("text-anchor", side > 0 ? "start" : "end")
    .text(name);
}

function brace(svg, from, to, y, text) {
  const width = Number(svg.node().parentNode.clientWidth);
  svg
    .append("path")
    .attr("class", "span")
    .attr("fill", "none")
    .attr("d", `M${from},${y - 4}v8M${from},${y}H${to}M${to},${y - 4}v8`);
  const room = Math.max(40, width - 20);
  const middle = Math.min(
    Math.max((from + to) / 2, Math.min(room, text.length * 6.2) / 2 + 6),
    width - Math.min(room, text.length * 6.2) / 2 - 6,
  );
  label(svg, text, room)
    .attr("class", "quiet")
    .attr("x", middle)
    .attr("y", y - 6)
    .attr("text-anchor", "middle");
}

function drawRadii(svg, width) {
  const height = 300,
    left = 46,
    names = width < 560 ? 80 : 110,
    right = width - names,
    top = 10,
    bottom = height - 34;
  const rounds = told.steps.length;
  const u = told.steps.map((s) => s.u_prime);
  const own = told.steps.map((s) => s.radius);
  const others = told.schemes.filter((one) => one.quantizer !== "icq" && one.quantizer !== "exact");
  const x = d3.scaleLinear([1, rounds], [left, right]);
  const y = d3.scaleLog(
    [d3.min(u) * 0.8, d3.max([...own, ...others.flatMap((o) => o.radius)]) * 1.1],
    [bottom, top],
  );
  axis(
    svg,
    d3
      .axisBottom(x)
      .ticks(Math.min(rounds, width / 60))
      .tickSizeOuter(0),
    0,
    bottom,
    "x",
  );
  axis(
    svg,
    d3
      .axisLeft(y)
      .tickValues(powers(y.domain()))
      .tickFormat(d3.format("~g"))
      .tickSize(-(right - left)),
    left,
    0,
    "grid",
  );
  svg
    .append("text")
    .attr("class", "quiet")
    .attr("x", (left + right) / 2)
    .attr("y", height - 2)
    .attr("text-anchor", "middle")
    .text("round");
  svg
    .append("line")
    .attr("class", "here")
    .attr("x1", x(told.message.index))
    .attr("x2", x(told.message.index))
    .attr("y1", top)
    .attr("y2", bottom);
  const line = d3
    .line()
    .x((_, i) => x(i + 1))
    .y((r) => y(r));
  const ends = [];
  const draw = (group, values, name) => {
    svg
      .append("g")
      .attr("class", group)
      .append("path")
      .attr("class", group.includes("in") ? "line u-prime" : "line")
      .attr("d", line(values));
    ends.push({ group, name, at: y(values.at(-1)) });
  };
  for (const one of others) draw("scheme", one.radius, one.quantizer);
  draw("arm in", u, "U′");
  draw(
    "arm best",
    own,
    `U at ${told.message.symbol.length} bit${told.message.symbol.length > 1 ? "s" : ""}`,
  );
  ends.sort((a, b) => a.at - b.at);
  ends.forEach((one, i) => {
    if (i) one.at = Math.max(one.at, ends[i - 1].at + 14);
  });
  const over = ends.at(-1).at - bottom;
  for (const one of ends) {
    const group = svg.append("g").attr("class", one.group);
    label(group, one.name, names)
      .attr("class", "name")
      .attr("x", right + 8)
      .attr("y", one.at + 4 - Math.max(0, over));
  }
  return height;
}

// The powers of ten in a range.
const powers = ([low, high]) =>
  d3
    .range(Math.ceil(Math.log10(low)), Math.floor(Math.log10(high)) + 1)
    .map((power) => 10 ** power);

const bins = new Chart($("bins"), {
  title: "The interval and its bins",
  file: "explain-message",
  describe: () =>
    `The interval from ${number(told.message.low)} to ${number(told.message.high)} in ${2 ** told.message.symbol.length} bins; bin ${told.message.symbol} holds the mean.`,
  draw: (svg, width) => drawBins(svg, width),
  table: () => ({
    columns: Object.keys(told.message),
    rows: [Object.values(told.message).map((v) => (typeof v === "boolean" ? String(v) : v))],
  }),
});

const radii = new Chart($("radii"), {
  title: "U and U′ over the rounds",
  file: "explain-radii",
  describe: () =>
    `After ${told.steps.length} rounds U′ is ${number(told.steps.at(-1).u_prime)} and U is ${number(told.steps.at(-1).radius)}.`,
  draw: (svg, width) => drawRadii(svg, width),
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
  for (const output of document.querySelectorAll("#sliders output"))
    output.textContent = $(output.htmlFor.value).value;
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
begin(ask);
