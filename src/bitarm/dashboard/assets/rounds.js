// Round by round: how the intervals narrow, when an arm falls, and what each round cost.

import {
  add,
  axisBelow,
  Chart,
  CROSS,
  GLYPH,
  gridAcross,
  label,
  nameBelow,
  nameEnds,
  overlap,
  PHONE,
} from "./chart.js";
import { d3 } from "./d3.js";
import { compact, count, plural } from "./format.js";
import { armClass } from "./timeline.js";

const HEIGHT = 320;
const MOST_BANDS = 8;
const MOST_LINES = 150;
const MOST_NAMES = 8;
const LONGEST_NAME = 16; // letters of a name beside a cross
const MARK = 5; // of a dot or a cross, from its middle

export function roundsChart(figure, run, now) {
  return new Chart(figure, {
    title: "Round by round",
    file: `run-${run.row.run}-rounds`,
    describe: () => {
      const { arms, round } = now();
      const over = `${plural(arms.length, "arm")} over ${plural(round, "round")}`;
      return `Decoded means and intervals of ${over}.`;
    },
    draw: (svg, width) => draw(svg, width, now(), run.settings.bounds),
    table: () => ({
      columns: ["arm", "name", "round", "mean", "radius"],
      rows: now().arms.flatMap((arm) =>
        arm.points.map((p) => [arm.arm, arm.name, p.round, p.mean, p.radius]),
      ),
    }),
  });
}

function draw(svg, width, s, bounds) {
  const names = width < PHONE ? 96 : 150;
  const left = 46;
  const right = width - names;
  const top = 10;
  const bottom = HEIGHT - 34;
  const lines = s.ranked.filter((arm) => arm.points.length).slice(0, MOST_LINES);
  const x = d3.scaleLinear([1, Math.max(2, s.round)], [left, right]);
  const y = d3.scaleLinear(domain(lines, bounds), [bottom, top]);
  const clip = clipTo(svg, {
    x: left - MARK, // a mark in the first or the last round is drawn whole
    y: top,
    width: right - left + 2 * MARK,
    height: bottom - top,
  });
  const rounds = x.ticks(Math.min(s.round, width / 60)).filter(Number.isInteger);
  const ticks = d3.axisBottom(x).tickValues(rounds).tickFormat(d3.format("d"));
  axisBelow(svg, ticks.tickSizeOuter(0), bottom);
  gridAcross(svg, d3.axisLeft(y).ticks(6), left, right);
  nameBelow(svg, "round", left, right, HEIGHT - 2);
  const inside = add(svg, "g", { "clip-path": `url(#${clip})` });
  const many = lines.length > MOST_BANDS;
  const bands = lines.filter((arm) => arm.outIn === null || !many).slice(0, MOST_BANDS);
  for (const [i, arm] of [...lines.entries()].reverse()) {
    const group = add(inside, "g", { class: `arm ${armClass(arm, s, i)}` });
    if (bands.includes(arm)) band(group, arm, x, y);
    path(group, arm, x, y);
  }
  const named = lines.slice(0, MOST_NAMES);
  const racing = named.filter((arm) => arm.outIn === null);
  const fallen = named.filter((arm) => arm.outIn !== null);
  const ends = racing.map((arm) => ({
    at: Math.min(Math.max(y(arm.points.at(-1).mean), top + 6), bottom - 4),
    name: arm.name,
    group: `arm ${armClass(arm, s, lines.indexOf(arm))}`,
  }));
  nameEnds(svg, ends, { right, room: names - 10, top: top + 4, bottom: bottom - 2 });
  nameFallen(svg, fallen, { x, y, right: racing.length ? right : width });
  return HEIGHT;
}

// The name of a new rectangle to which a group can be clipped.
function clipTo(svg, rectangle) {
  const id = `clip-${Math.random().toString(36).slice(2)}`;
  add(add(svg, "clipPath", { id }), "rect", rectangle);
  return id;
}

// An arm's intervals; one that gives up tells none.
function band(group, arm, x, y) {
  const area = d3
    .area()
    .x((p) => x(p.round))
    .y0((p) => y(p.mean - p.radius))
    .y1((p) => y(p.mean + p.radius));
  const heard = arm.points.filter((p) => p.beatenBy === null);
  add(group, "path", { class: "band", d: area(heard) });
}

// An arm's means; a dot at the end says that it is in the race, a cross that it fell.
function path(group, arm, x, y) {
  const line = d3
    .line()
    .x((p) => x(p.round))
    .y((p) => y(p.mean));
  add(group, "path", { class: "line", d: line(arm.points) });
  const last = arm.points.at(-1);
  const [cx, cy] = [x(last.round), y(last.mean)];
  if (arm.outIn === null) add(group, "circle", { cx, cy, r: 3.5 });
  else add(group, "path", { class: "cross", transform: `translate(${cx},${cy})`, d: CROSS });
}

// A fallen arm's name stands beside its cross, if there is room that no other name takes.
function nameFallen(svg, arms, { x, y, right }) {
  const taken = [];
  for (const arm of arms) {
    const last = arm.points.at(-1);
    const width = Math.min(arm.name.length, LONGEST_NAME) * GLYPH;
    const place = { x: x(last.round) + 8, y: y(last.mean) + 4, width };
    const clash = taken.some((one) => overlap(one, place));
    if (clash || place.x + width > right) continue;
    taken.push(place);
    const group = add(svg, "g", { class: "arm out" });
    label(group, arm.name, LONGEST_NAME * GLYPH, { class: "name", x: place.x, y: place.y });
  }
}

// The means, and the intervals of the last rounds: early intervals are far wider than the rest.
// Within the bounds, unless a decoded mean lies outside.
function domain(arms, bounds) {
  if (!arms.length) return bounds ?? [0, 1];
  const means = arms.flatMap((arm) => arm.points.map((p) => p.mean));
  const last = arms.filter((arm) => arm.outIn === null).map((arm) => arm.points.at(-1));
  const low = Math.min(d3.min(means), d3.min(last, (p) => p.mean - p.radius) ?? Infinity);
  const high = Math.max(d3.max(means), d3.max(last, (p) => p.mean + p.radius) ?? -Infinity);
  const room = (high - low || 1) * 0.06;
  const [least, most] = bounds ?? [-Infinity, Infinity];
  return [
    Math.min(Math.max(low - room, least), d3.min(means)),
    Math.max(Math.min(high + room, most), d3.max(means)),
  ];
}

export function bitsChart(figure, run, now) {
  return new Chart(figure, {
    title: "Bits per round",
    file: `run-${run.row.run}-bits`,
    describe: () => {
      const { bits, rawBits } = now();
      const raw = `raw float64 rewards would have been ${count(rawBits)} bits`;
      return `${count(bits)} bits sent in all; ${raw}.`;
    },
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
  const height = 210;
  const left = 44;
  const top = 26;
  const bottom = height - 32;
  const right = width - 6;
  const most = d3.max(rounds, (r) => d3.max(series, (one) => r[one.key])) || 10;
  const numbers = rounds.map((r) => r.round);
  const x = d3.scaleBand(numbers, [left, right]).paddingInner(0.25).paddingOuter(0.1);
  const y = d3.scaleLog([0.7, most * 1.2], [bottom, top]).clamp(true);
  const powers = d3.range(0, Math.ceil(Math.log10(most)) + 1).map((power) => 10 ** power);
  const ticks = powers.filter((t) => t <= most * 1.2);
  gridAcross(svg, d3.axisLeft(y).tickValues(ticks).tickFormat(compact), left, right);
  const every = Math.ceil(rounds.length / Math.max(1, (right - left) / 26));
  const named = d3.axisBottom(x).tickValues(x.domain().filter((_, i) => i % every === 0));
  axisBelow(svg, named.tickSizeOuter(0).tickSize(0).tickPadding(7), bottom);
  nameBelow(svg, "round", left, right, height - 1);
  for (const one of series) {
    add(svg, "g", { class: `bars ${one.style}` })
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
  legend(svg, series, left);
  return height;
}

function legend(svg, series, left) {
  let x = left;
  for (const one of series) {
    const key = add(svg, "g", { class: `bars ${one.style}` });
    add(key, "rect", { x, y: 3, width: 10, height: 10 });
    add(svg, "text", { class: "quiet", x: x + 15, y: 12 }).text(one.name);
    x += 30 + one.name.length * 6.6;
  }
}
