// Round by round: how the intervals narrow, when an arm falls, and what each round cost.

import { axis, Chart, label } from "./chart.js";
import { d3 } from "./d3.js";
import { compact, count, plural } from "./format.js";

const HEIGHT = 320,
  MOST_BANDS = 8,
  MOST_LINES = 150,
  MOST_NAMES = 8;

export function roundsChart(figure, run, now) {
  return new Chart(figure, {
    title: "Round by round",
    file: `run-${run.row.run}-rounds`,
    describe: () =>
      `Decoded means and intervals of ${plural(now().arms.length, "arm")} over ${plural(now().round, "round")}.`,
    draw: (svg, width) => draw(svg, width, now()),
    table: () => ({
      columns: ["arm", "name", "round", "mean", "radius", "ceiling"],
      rows: now().arms.flatMap((arm) =>
        arm.points.map((p) => [arm.arm, arm.name, p.round, p.mean, p.radius, p.ceiling]),
      ),
    }),
  });
}

function draw(svg, width, s) {
  const names = width < 560 ? 86 : 150;
  const left = 46,
    right = width - names,
    top = 10,
    bottom = HEIGHT - 34;
  const lines = s.ranked.filter((arm) => arm.points.length).slice(0, MOST_LINES);
  const x = d3.scaleLinear([1, Math.max(2, s.round)], [left, right]);
  const y = d3.scaleLinear(domain(lines), [bottom, top]).nice();
  const clip = `clip-${Math.random().toString(36).slice(2)}`;
  svg
    .append("clipPath")
    .attr("id", clip)
    .append("rect")
    .attr("x", left)
    .attr("y", top)
    .attr("width", right - left)
    .attr("height", bottom - top);
  axis(
    svg,
    d3
      .axisBottom(x)
      .ticks(Math.min(s.round, width / 60))
      .tickFormat(d3.format("d"))
      .tickSizeOuter(0),
    0,
    bottom,
    "x",
  );
  axis(
    svg,
    d3
      .axisLeft(y)
      .ticks(6)
      .tickSize(-(right - left)),
    left,
    0,
    "grid",
  );
  svg
    .append("text")
    .attr("class", "quiet")
    .attr("x", (left + right) / 2)
    .attr("y", HEIGHT - 2)
    .attr("text-anchor", "middle")
    .text("round");
  const inside = svg.append("g").attr("clip-path", `url(#${clip})`);
  const area = d3
    .area()
    .x((p) => x(p.round))
    .y0((p) => y(p.mean - p.radius))
    .y1((p) => y(p.mean + p.radius));
  const line = d3
    .line()
    .x((p) => x(p.round))
    .y((p) => y(p.y));
  const state = (arm, i) =>
    arm.arm === s.best ? "best" : arm.outIn !== null ? "out" : i === 0 ? "leader" : "in";
  const bands = lines
    .filter((arm) => arm.outIn === null || lines.length <= MOST_BANDS)
    .slice(0, MOST_BANDS);
  for (const [i, arm] of [...lines.entries()].reverse()) {
    const group = inside.append("g").attr("class", `arm ${state(arm, i)}`);
    if (bands.includes(arm))
      group
        .append("path")
        .attr("class", "band")
        .attr("d", area(arm.points.filter((p) => p.ceiling === null)));
    group.append("path").attr("class", "line").attr("d", line(arm.points));
    const last = arm.points.at(-1);
    if (arm.outIn === null)
      group.append("circle").attr("cx", x(last.round)).attr("cy", y(last.y)).attr("r", 3.5);
    else
      group
        .append("path")
        .attr("class", "cross")
        .attr("transform", `translate(${x(last.round)},${y(last.y)})`)
        .attr("d", "M-3.5,-3.5L3.5,3.5M-3.5,3.5L3.5,-3.5");
  }
  const named = lines.slice(0, MOST_NAMES);
  const racing = named.filter((arm) => arm.outIn === null);
  nameRacing(svg, racing, {
    y,
    right,
    names,
    top,
    bottom,
    state: (arm) => state(arm, lines.indexOf(arm)),
  });
  nameFallen(
    svg,
    named.filter((arm) => arm.outIn !== null),
    { x, y, right: racing.length ? right : width },
  );
  return HEIGHT;
}

// A fallen arm's name stands beside its cross, if there is room that no other name takes.
function nameFallen(svg, arms, { x, y, right }) {
  const taken = [];
  for (const arm of arms) {
    const last = arm.points.at(-1);
    const place = {
      x: x(last.round) + 8,
      y: y(last.y) + 4,
      width: Math.min(arm.name.length, 16) * 7.4,
    };
    const clash = taken.some(
      (one) =>
        Math.abs(one.y - place.y) < 13 &&
        one.x < place.x + place.width &&
        place.x < one.x + one.width,
    );
    if (clash || place.x + place.width > right) continue;
    taken.push(place);
    label(svg.append("g").attr("class", "arm out"), arm.name, 16 * 7.4)
      .attr("class", "name")
      .attr("x", place.x)
      .attr("y", place.y);
  }
}

// Names at the right, moved apart where their lines end close together.
function nameRacing(svg, arms, { y, right, names, top, bottom, state }) {
  const placed = arms.map((arm) => ({
    arm,
    state: state(arm),
    at: Math.min(Math.max(y(arm.points.at(-1).y), top + 6), bottom - 4),
  }));
  placed.sort((a, b) => a.at - b.at);
  for (let i = 1; i < placed.length; i++)
    placed[i].at = Math.max(placed[i].at, placed[i - 1].at + 14);
  const over = placed.length ? placed.at(-1).at - (bottom - 2) : 0;
  if (over > 0) for (const one of placed) one.at = Math.max(top + 4, one.at - over);
  for (const one of placed) {
    label(svg.append("g").attr("class", `arm ${one.state}`), one.arm.name, names - 10)
      .attr("class", "name")
      .attr("x", right + 8)
      .attr("y", one.at + 4);
  }
}

// The means, and the intervals of the last rounds: early intervals are far wider than the rest.
function domain(arms) {
  if (!arms.length) return [0, 1];
  const means = arms.flatMap((arm) => arm.points.map((p) => p.y));
  const last = arms.filter((arm) => arm.outIn === null).map((arm) => arm.points.at(-1));
  let low = Math.min(d3.min(means), d3.min(last, (p) => p.mean - p.radius) ?? Infinity);
  let high = Math.max(d3.max(means), d3.max(last, (p) => p.mean + p.radius) ?? -Infinity);
  const room = (high - low || 1) * 0.06;
  return [low - room, high + room];
}

export function bitsChart(figure, run, now) {
  return new Chart(figure, {
    title: "Bits per round",
    file: `run-${run.row.run}-bits`,
    describe: () =>
      `${count(now().bits)} bits sent in all; raw float64 rewards would have been ${count(now().rawBits)} bits.`,
    draw: (svg, width) =>
      bars(svg, width, now().perRound, [
        { key: "rawBits", name: "raw float64 rewards", style: "raw" },
        { key: "bits", name: "bits sent", style: "paid" },
      ]),
    table: () => ({
      columns: ["round", "payload_bits", "raw_bits"],
      rows: now().perRound.map((r) => [r.round, r.bits, r.rawBits]),
    }),
  });
}

export function samplesChart(figure, run, now) {
  return new Chart(figure, {
    title: "Samples per round",
    file: `run-${run.row.run}-samples`,
    describe: () => `${count(now().samples)} samples in all over ${plural(now().round, "round")}.`,
    draw: (svg, width) =>
      bars(svg, width, now().perRound, [{ key: "samples", name: "samples", style: "paid" }]),
    table: () => ({
      columns: ["round", "arms", "samples"],
      rows: now().perRound.map((r) => [r.round, r.arms, r.samples]),
    }),
  });
}

// Bars on a logarithmic scale: what is compared differs by factors of thousands.
function bars(svg, width, rounds, series) {
  const height = 210,
    left = 44,
    top = 26,
    bottom = height - 32,
    right = width - 6;
  const most = d3.max(rounds, (r) => d3.max(series, (one) => r[one.key])) || 10;
  const x = d3
    .scaleBand(
      rounds.map((r) => r.round),
      [left, right],
    )
    .paddingInner(0.25)
    .paddingOuter(0.1);
  const y = d3.scaleLog([0.7, most * 1.2], [bottom, top]).clamp(true);
  const ticks = d3
    .range(0, Math.ceil(Math.log10(most)) + 1)
    .map((power) => 10 ** power)
    .filter((t) => t <= most * 1.2);
  axis(
    svg,
    d3
      .axisLeft(y)
      .tickValues(ticks)
      .tickFormat(compact)
      .tickSize(-(right - left)),
    left,
    0,
    "grid",
  );
  const every = Math.ceil(rounds.length / Math.max(1, (right - left) / 26));
  axis(
    svg,
    d3
      .axisBottom(x)
      .tickValues(x.domain().filter((_, i) => i % every === 0))
      .tickSizeOuter(0)
      .tickSize(0)
      .tickPadding(7),
    0,
    bottom,
    "x",
  );
  svg
    .append("text")
    .attr("class", "quiet")
    .attr("x", (left + right) / 2)
    .attr("y", height - 1)
    .attr("text-anchor", "middle")
    .text("round");
  for (const one of series) {
    svg
      .append("g")
      .attr("class", `bars ${one.style}`)
      .selectAll("rect")
      .data(rounds.filter((r) => r[one.key] > 0))
      .join("rect")
      .attr("x", (r) => x(r.round))
      .attr("width", x.bandwidth())
      .attr("y", (r) => y(r[one.key]))
      .attr("height", (r) => bottom - y(r[one.key]))
      .append("title")
      .text((r) => `round ${r.round}: ${count(r[one.key])} ${one.name}`);
  }
  let place = left;
  for (const one of series) {
    const key = svg.append("g").attr("class", `bars ${one.style}`);
    key.append("rect").attr("x", place).attr("y", 3).attr("width", 10).attr("height", 10);
    svg
      .append("text")
      .attr("class", "quiet")
      .attr("x", place + 15)
      .attr("y", 12)
      .text(one.name);
    place += 30 + one.name.length * 6.6;
  }
  return height;
}
