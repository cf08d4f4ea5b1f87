// One round of challenges: the leader's edge, and each arm that was held against it.

import { get, problem } from "./api.js";
import { add, axis, Chart, CROSS, label, PHONE } from "./chart.js";
import { d3 } from "./d3.js";
import { $, define, h } from "./dom.js";
import { count, number, plural } from "./format.js";

const EXAMPLE = "";
const MOST_RUNS = 100;
const MOST_ARMS = 24;
let told = null;
let asked = 0;
let chart = null;

// What an arm answered, and what that means.
function answer(arm) {
  const bits = h("span", { class: "symbol" }, arm.symbol ?? "");
  const name = h("strong", {}, arm.name);
  if (arm.symbol === null) return h("li", {}, name, " has not answered yet.");
  if (!arm.gave_up) {
    const held = " held out: not beaten after ";
    const where = `${plural(arm.until, "pull")}, it says where it is, near ${number(arm.mean)}: `;
    return h("li", {}, name, `${held}${where}`, bits);
  }
  const after =
    arm.pulls === null
      ? `at most ${plural(arm.until, "pull")} (it did not tell how many)`
      : `${plural(arm.pulls, "pull")} of ${count(arm.until)}`;
  const why = ": its rewards and the edge leave no mean that both arms could have. It says ";
  return h("li", {}, name, ` gave up after ${after}${why}`, bits);
}

function sentence({ leader, round, challenged }) {
  const bits = h("span", { class: "symbol" }, leader.symbol);
  const who = `${leader.name} has gone ahead to ${plural(leader.pulls, "pull")} and told `;
  const edge = `: its mean is near ${number(leader.mean)}, its edge at ${number(leader.edge)}. `;
  const then = `In round ${round}, ${plural(challenged.length, "other arm")} `;
  const verb = challenged.length === 1 ? "is" : "are";
  return h("span", {}, who, bits, `${edge}${then}${verb} challenged with that edge.`);
}

function hurdles({ lines, level }) {
  const each = lines.map(({ rate, hurdle }) => {
    const nats = hurdle === null ? "worth nothing" : `${number(hurdle)} nats`;
    return [`hurdle at rate ${number(rate)}`, nats];
  });
  return [["evidence that a drop takes", `${number(level)} nats`], ...each];
}

function draw(svg, width) {
  const phone = width < PHONE;
  const shown = told.challenged.slice(0, MOST_ARMS);
  const longest = Math.max(...shown.map((arm) => arm.name.length));
  const left = phone ? 4 : Math.min(200, 24 + 7.5 * longest);
  const right = phone ? 4 : 170;
  const row = phone ? 46 : 30;
  const top = 40;
  const x = d3.scaleLinear(domain(shown), [left + 8, width - right - 8]);
  const bottom = top + shown.length * row + 8;
  const ticks = d3.axisTop(x).ticks(phone ? 4 : 7);
  axis(svg, ticks.tickSize(-(shown.length * row)).tickPadding(4), 0, top, "grid");
  const at = x(told.leader.edge);
  add(svg, "line", { class: "needle decoded", x1: at, x2: at, y1: top - 20, y2: bottom });
  const side = at > width / 2 ? -1 : 1;
  label(svg, `edge of ${told.leader.name}`, width / 2, {
    class: "needle-name decoded",
    x: at + 5 * side,
    y: top - 26,
    "text-anchor": side > 0 ? "start" : "end",
  });
  shown.forEach((arm, i) => {
    const y = top + i * row + (phone ? 34 : row / 2);
    const group = add(svg, "g", { class: `arm ${arm.gave_up ? "out" : "in"}` });
    drawName(group, arm, { phone, left, y, width, room: right });
    drawArm(group, arm, x, y);
  });
  const more = told.challenged.length - MOST_ARMS;
  if (more <= 0) return bottom + 4;
  const note = `and ${plural(more, "more arm")} in the list below`;
  add(svg, "text", { class: "quiet", x: left, y: bottom + 14 }).text(note);
  return bottom + 22;
}

function stateOf(arm) {
  if (arm.symbol === null) return "no answer yet";
  return arm.gave_up ? "gave up" : "held out";
}

function drawName(group, arm, { phone, left, y, width, room }) {
  const state = stateOf(arm);
  if (phone) {
    label(group, `${arm.name}: ${state}`, width, { class: "name", x: 4, y: y - 14 });
    return;
  }
  label(group, arm.name, left, { class: "name", x: left, y: y + 4, "text-anchor": "end" });
  label(group, state, room, { class: "state", x: width - room + 4, y: y + 4 });
}

// What it had told before as an interval; a dot where it is now, a cross if it gave up.
function drawArm(group, arm, x, y) {
  const ends = [arm.mean_before - arm.error_before, arm.mean_before + arm.error_before].map(x);
  add(group, "line", { class: "interval", x1: ends[0], x2: ends[1], y1: y, y2: y });
  for (const end of ends)
    add(group, "line", { class: "end", x1: end, x2: end, y1: y - 5, y2: y + 5 });
  if (arm.mean !== null) add(group, "circle", { cx: x(arm.mean), cy: y, r: 4.5 });
  if (!arm.gave_up) return;
  const transform = `translate(${x(arm.mean_before)},${y})`;
  add(group, "path", { class: "cross", transform, d: CROSS });
}

function domain(arms) {
  const means = arms.flatMap((arm) => [
    arm.mean_before - arm.error_before,
    arm.mean_before + arm.error_before,
    arm.mean ?? arm.mean_before,
  ]);
  return d3.extent([...means, told.leader.edge, told.leader.mean]);
}

function makeChart() {
  return new Chart($("challenge"), {
    title: "Who was held against the leader",
    file: "explain-challenge",
    describe: () => {
      const fell = told.challenged.filter((arm) => arm.gave_up).length;
      const of = plural(told.challenged.length, "challenged arm");
      return `${count(fell)} of ${of} gave up. Intervals are what an arm had told before.`;
    },
    draw,
    table: () => ({
      columns: Object.keys(told.challenged[0]),
      rows: told.challenged.map((arm) =>
        Object.values(arm).map((v) => (typeof v === "boolean" ? String(v) : v)),
      ),
    }),
  });
}

async function show(run, round) {
  const mine = ++asked;
  const query = new URLSearchParams();
  if (run !== EXAMPLE) query.set("run", run);
  if (round) query.set("round", round);
  try {
    const explained = await get(`/explain/challenge?${query}`);
    if (mine !== asked) return;
    told = explained;
    problem(null);
  } catch (error) {
    if (mine === asked) problem(error.message);
    return;
  }
  const rounds = told.rounds.map((one) => h("option", { value: String(one) }, String(one)));
  $("challenge-round").replaceChildren(...rounds);
  $("challenge-round").value = String(told.round);
  $("challenge-sentence").replaceChildren(sentence(told));
  $("answers").replaceChildren(...told.challenged.map(answer));
  define($("challenge-numbers"), hurdles(told));
  chart ??= makeChart();
  chart.redraw();
}

export async function explainChallenges() {
  const { runs } = await get(`/runs?limit=${MOST_RUNS}`);
  const judged = runs.filter((row) => row.policy === "challenge");
  const options = judged.map((row) => h("option", { value: String(row.run) }, `run ${row.run}`));
  $("challenge-run").replaceChildren(h("option", { value: EXAMPLE }, "an example"), ...options);
  $("challenge-run").addEventListener("change", () => show($("challenge-run").value, null));
  $("challenge-round").addEventListener("change", () =>
    show($("challenge-run").value, $("challenge-round").value),
  );
  $("which").addEventListener("submit", (event) => event.preventDefault());
  const wanted = new URLSearchParams(location.search).get("run");
  if (judged.some((row) => String(row.run) === wanted)) $("challenge-run").value = wanted;
  await show($("challenge-run").value, null);
}
