// The race at one moment: every arm's interval on one scale, contenders first.

import { add, axis, Chart, label, PHONE } from "./chart.js";
import { d3 } from "./d3.js";
import { plural, standing } from "./format.js";
import { armClass, stateOf } from "./timeline.js";

const ROW = 30;
const MOST = 24; // arms that are drawn
const SMALL = 6.2; // pixels of a letter of an arm's state

const COLUMNS = {
  arm: "arm",
  name: "name",
  mean: "mean",
  radius: "radius",
  beaten_by: "beatenBy",
  pulls: "pulls",
  messages: "messages",
  payload_bits: "bits",
  dropped_in: "droppedIn",
  dropped_for: "droppedFor",
};

export function raceChart(figure, run, now) {
  return new Chart(figure, {
    title: "Where each arm stands",
    file: `run-${run.row.run}-race`,
    describe: () => describe(now()),
    draw: (svg, width) => draw(svg, width, run, now()),
    table: () => ({
      columns: Object.keys(COLUMNS),
      rows: now().ranked.map((arm) => Object.values(COLUMNS).map((key) => arm[key])),
    }),
  });
}

function describe(s) {
  const [first] = s.ranked;
  const racing = `${plural(s.contenders.length, "arm")} of ${s.arms.length} in the race`;
  if (first.mean === null) return `${racing}.`;
  return `${racing}; first is ${first.name} at ${standing(first)}.`;
}

function draw(svg, width, run, s) {
  const phone = width < PHONE;
  const shown = s.ranked.slice(0, MOST);
  const longest = Math.max(...shown.map((arm) => arm.name.length));
  const left = phone ? 4 : Math.min(200, 24 + 7.5 * longest);
  const right = phone ? 4 : 240;
  const row = phone ? ROW + 16 : ROW;
  const x = d3.scaleLinear(domain(s, run.settings.bounds), [left + 8, width - right - 8]);
  const top = 22;
  const bottom = top + shown.length * row + 8;
  const ticks = d3.axisTop(x).ticks(phone ? 4 : 7);
  axis(svg, ticks.tickSize(-(shown.length * row)).tickPadding(4), 0, top, "grid");
  shown.forEach((arm, i) => {
    const y = top + i * row + (phone ? 34 : row / 2);
    const group = add(svg, "g", { class: `arm ${armClass(arm, s, i)}`, "data-arm": arm.arm });
    const told = arm.outIn === null ? standing(arm) : stateOf(arm, s, run.arm_names);
    if (phone) nameAbove(group, arm.name, told, width, y - 14);
    else nameBeside(group, arm.name, told, { left, right: width - right, room: right, y: y + 4 });
    if (arm.mean !== null) bar(group, x, y, arm);
  });
  if (s.arms.length <= MOST) return bottom;
  const more = add(svg, "text", { class: "quiet", x: left, y: bottom + 12 });
  more.text(`and ${s.arms.length - MOST} more arms in the table below`);
  return bottom + 22;
}

// On a phone a bar has a row of its own under the name and the state.
function nameAbove(group, name, told, width, y) {
  const state = { class: "state", x: width - 4, y, "text-anchor": "end" };
  const room = Math.min(width / 2, 7.5 * name.length + 12);
  label(group, name, width / 2, { class: "name", x: 4, y });
  label(group, told, width - room - 8, state, SMALL);
}

function nameBeside(group, name, told, { left, right, room, y }) {
  label(group, name, left, { class: "name", x: left, y, "text-anchor": "end" });
  label(group, told, room, { class: "state", x: right + 4, y }, SMALL);
}

// Up to where an arm may be, by what it told last.
const highest = (arm) => arm.mean + arm.radius;

// An interval that leaves the scale shows that it goes on.
function bar(group, x, y, arm) {
  const [from, to] = x.range();
  const inside = (place) => Math.min(Math.max(place, from), to);
  const low = x(arm.mean - arm.radius);
  const high = x(highest(arm));
  const middle = x(arm.mean);
  add(group, "line", { class: "interval", x1: inside(low), x2: inside(high), y1: y, y2: y });
  for (const end of [low, high]) {
    if (end !== inside(end)) continue;
    add(group, "line", { class: "end", x1: end, x2: end, y1: y - 5, y2: y + 5 });
  }
  if (high < from || low > to) {
    const [tip, side] = high < from ? [from - 7, 1] : [to + 7, -1];
    add(group, "path", { class: "beyond", d: `M${tip},${y}l${6 * side},-4v8z` });
  } else if (middle === inside(middle)) {
    add(group, "circle", { cx: middle, cy: y, r: 4.5 });
  }
}

// The hull of the intervals in the race, with those that fell last, within the bounds.
function domain(s, bounds) {
  const lately = (arm) => arm.outIn === null || arm.outIn >= s.round - 1;
  const heard = s.arms.filter((arm) => arm.mean !== null && lately(arm));
  if (!heard.length) return bounds ?? [0, 1];
  let low = d3.min(heard, (arm) => arm.mean - arm.radius);
  let high = d3.max(heard, highest);
  if (bounds) {
    const [least, most] = d3.extent(heard, (arm) => arm.mean); // a decoded mean may lie outside
    low = Math.min(Math.max(low, bounds[0]), least);
    high = Math.max(Math.min(high, bounds[1]), most);
  }
  return low < high ? [low, high] : [low - 0.5, low + 0.5];
}
