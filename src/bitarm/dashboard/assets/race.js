// The race at one moment: every arm's interval on one scale, contenders first.

import { axis, Chart, label } from "./chart.js";
import { d3 } from "./d3.js";
import { plural, standing } from "./format.js";
import { stateOf } from "./timeline.js";

const ROW = 30,
  PHONE = 560,
  MOST = 24,
  SMALL = 6.2;

export function raceChart(figure, run, now) {
  return new Chart(figure, {
    title: "Where each arm stands",
    file: `run-${run.row.run}-race`,
    describe: () => {
      const s = now();
      const first = s.ranked[0];
      return (
        `${plural(s.contenders.length, "arm")} of ${s.arms.length} in the race` +
        (first.mean === null ? "." : `; first is ${first.name} at ${standing(first)}.`)
      );
    },
    draw: (svg, width) => draw(svg, width, run, now()),
    table: () => ({
      columns: [
        "arm",
        "name",
        "mean",
        "radius",
        "ceiling",
        "pulls",
        "messages",
        "payload_bits",
        "dropped_in",
        "dropped_for",
      ],
      rows: now().ranked.map((a) => [
        a.arm,
        a.name,
        a.mean,
        a.radius,
        a.ceiling,
        a.pulls,
        a.messages,
        a.bits,
        a.droppedIn,
        a.droppedFor,
      ]),
    }),
  });
}

function draw(svg, width, run, s) {
  const phone = width < PHONE;
  const shown = s.ranked.slice(0, MOST);
  const left = phone
    ? 4
    : Math.min(200, 24 + 7.5 * Math.max(...shown.map((arm) => arm.name.length)));
  const right = phone ? 4 : 215;
  const row = phone ? ROW + 16 : ROW;
  const x = d3.scaleLinear(domain(s, run.settings.bounds), [left + 8, width - right - 8]);
  const top = 22;
  axis(
    svg,
    d3
      .axisTop(x)
      .ticks(phone ? 4 : 7)
      .tickSize(-(shown.length * row))
      .tickPadding(4),
    0,
    top,
    "grid",
  );
  shown.forEach((arm, i) => {
    const y = top + i * row + (phone ? 34 : row / 2);
    const state =
      arm.arm === s.best ? "best" : arm.outIn !== null ? "out" : i === 0 ? "leader" : "in";
    const group = svg.append("g").attr("class", `arm ${state}`).attr("data-arm", arm.arm);
    const told = arm.outIn === null ? standing(arm) : stateOf(arm, s, run.arm_names);
    if (phone) {
      label(group, arm.name, width / 2)
        .attr("class", "name")
        .attr("x", 4)
        .attr("y", y - 14);
      label(group, told, width / 2, SMALL)
        .attr("class", "state")
        .attr("x", width - 4)
        .attr("y", y - 14)
        .attr("text-anchor", "end");
    } else {
      label(group, arm.name, left)
        .attr("class", "name")
        .attr("x", left)
        .attr("y", y + 4)
        .attr("text-anchor", "end");
      label(group, told, right, SMALL)
        .attr("class", "state")
        .attr("x", width - right + 4)
        .attr("y", y + 4);
    }
    if (arm.mean !== null) bar(group, x, y, arm);
  });
  const bottom = top + shown.length * row + 8;
  if (s.arms.length <= MOST) return bottom;
  svg
    .append("text")
    .attr("class", "quiet")
    .attr("x", left)
    .attr("y", bottom + 12)
    .text(`and ${s.arms.length - MOST} more arms in the table below`);
  return bottom + 22;
}

// Up to where an arm may be, by what it told last.
const highest = (arm) => arm.ceiling ?? arm.mean + arm.radius;

// An interval that leaves the scale shows that it goes on; that of an arm that conceded does so downwards.
function bar(group, x, y, arm) {
  const [from, to] = x.range();
  const inside = (place) => Math.min(Math.max(place, from), to);
  const low = arm.ceiling === null ? x(arm.mean - arm.radius) : from - 1,
    high = x(highest(arm)),
    middle = x(arm.mean);
  group
    .append("line")
    .attr("class", "interval")
    .attr("x1", inside(low))
    .attr("x2", inside(high))
    .attr("y1", y)
    .attr("y2", y);
  for (const end of [low, high]) {
    if (end === inside(end))
      group
        .append("line")
        .attr("class", "end")
        .attr("x1", end)
        .attr("x2", end)
        .attr("y1", y - 5)
        .attr("y2", y + 5);
  }
  if (high < from || low > to) {
    const side = high < from ? [from - 7, 1] : [to + 7, -1];
    group
      .append("path")
      .attr("class", "beyond")
      .attr("d", `M${side[0]},${y}l${6 * side[1]},-4v8z`);
  } else if (arm.ceiling === null && middle === inside(middle))
    group.append("circle").attr("cx", middle).attr("cy", y).attr("r", 4.5);
}

// The hull of the intervals in the race, with those that fell last, within the bounds.
function domain(s, bounds) {
  const heard = s.arms.filter(
    (arm) => arm.mean !== null && (arm.outIn === null || arm.outIn >= s.round - 1),
  );
  if (!heard.length) return bounds ?? [0, 1];
  let low = d3.min(heard, (arm) => arm.mean - arm.radius),
    high = d3.max(heard, highest);
  if (bounds) {
    low = Math.min(
      Math.max(low, bounds[0]),
      d3.min(heard, (arm) => arm.mean),
    ); // a decoded mean may lie outside
    high = Math.max(
      Math.min(high, bounds[1]),
      d3.max(heard, (arm) => arm.mean),
    );
  }
  return low < high ? [low, high] : [low - 0.5, low + 0.5];
}
