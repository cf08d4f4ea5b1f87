// The run page: live by server-sent events, and back to any moment with the slider.

import { begin, get, insist, listen, problem, RETRY } from "../api.js";
import { $, define, h, perFrame } from "../dom.js";
import {
  bytes,
  clock,
  compact,
  count,
  moment as dateOf,
  duration,
  number,
  plural,
  pulls,
  reason,
  standing,
} from "../format.js";
import { frameView } from "../frames.js";
import { outlook, raceNote } from "../notes.js";
import { raceChart } from "../race.js";
import { bitsChart, roundsChart, samplesChart } from "../rounds.js";
import { PagedTable } from "../table.js";
import { isLive, Run, silence, stateOf } from "../timeline.js";

const LOG = 12; // events that are listed
const PLAY_SECONDS = 8;
const wantedRun = location.pathname.split("/").at(-1);
$("title").textContent = `Run ${wantedRun}`;
let run;
let standings;
let charts;
let arms;
let agents;
let following = true;
let playing = null;
let listed = null;

const now = () => standings;

function headline(s) {
  if (s.over) return ending(s);
  const [first] = s.ranked;
  const all = plural(s.arms.length, "arm");
  if (s.round === 0 || first.mean === null) return `${all} at the start; nothing heard yet.`;
  const racing = `Round ${s.round}: ${count(s.contenders.length)} of ${all} still in the race, `;
  return h("span", {}, racing, h("strong", {}, first.name), " leads.");
}

function ending(s) {
  const { outcome, best_arm_name } = run.row;
  if (s.best !== null) {
    const best = h("strong", {}, best_arm_name);
    if (outcome !== "budget_spent") return h("span", {}, best, " is the best arm.");
    return h("span", {}, "The budget is spent; ", best, " did best.");
  }
  const named = s.contenders.slice(0, 4).map((arm) => arm.name);
  const rest = s.contenders.length - named.length;
  const left = `${named.join(", ")}${rest > 0 ? ` and ${count(rest)} more` : ""}`;
  return `No answer: ${reason(outcome)}. Still in the race: ${left}.`;
}

// What may be claimed of an answer; without one, what is known against the run.
function subline(s) {
  const { guarantee, guarantee_reason } = run.row;
  if (s.best !== null) {
    return guarantee === null ? `No guarantee: ${guarantee_reason}.` : sentence(guarantee_reason);
  }
  const caveat = run.caveats.length ? `Caveat: ${run.caveats.join("; ")}.` : "";
  if (run.ended || isLive(run.row)) return caveat;
  const quiet = `Open, and quiet for ${duration(silence(run.row))}`;
  return `${quiet}: it is waiting, or it was cut off. ${caveat}`.trim();
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function figures(s) {
  const times = s.bits ? `${compact(Math.round(s.rawBits / s.bits))}×` : "–";
  define($("figures"), [
    ["rounds", count(s.round)],
    ["samples", pulls(s.samples, s.atMost)],
    ["bits sent", count(s.bits)], // in bytes each message is padded: an eighth would be too few
    ["raw float64 rewards", `${compact(s.rawBits)} bits`, bytes(s.rawBits)],
    ["times fewer bits", times],
  ]);
}

const armColumns = () => [
  { key: "name", label: "Arm", value: (a) => a.name, cell: (a) => a.name },
  {
    key: "mean",
    label: "Mean",
    value: (a) => a.mean,
    cell: (a) => (a.mean === null ? "–" : standing(a)),
    numeric: true,
  },
  {
    key: "pulls",
    label: "Pulls",
    value: (a) => a.pulls,
    cell: (a) => pulls(a.pulls, a.atMost),
    numeric: true,
  },
  {
    key: "messages",
    label: "Messages",
    value: (a) => a.messages,
    cell: (a) => count(a.messages),
    numeric: true,
  },
  { key: "bits", label: "Bits", value: (a) => a.bits, cell: (a) => count(a.bits), numeric: true },
  {
    key: "state",
    label: "State",
    value: (a) => a.outIn ?? Infinity,
    cell: (a) => stateOf(a, standings, run.arm_names),
  },
];

const agentColumns = () => [
  {
    key: "name",
    label: "Agent of",
    value: (a) => a.name,
    cell: (a) => (a.agent === null ? a.name : `${a.name}: ${a.agent}`),
  },
  { key: "last_seen", label: "Last seen", value: (a) => a.lastAt, cell: lastSeen, numeric: true },
  {
    key: "repeats",
    label: "Re-sends",
    value: (a) => a.repeats,
    cell: (a) => count(a.repeats),
    numeric: true,
  },
  {
    key: "restarts",
    label: "Restarts",
    value: (a) => a.restarts,
    cell: (a) => count(a.restarts),
    numeric: true,
  },
  {
    key: "outermost",
    label: "End-bin symbols",
    value: (a) => a.outermost,
    cell: (a) => (a.outermost === null ? "–" : `${count(a.outermost)} of ${count(a.messages)}`),
    numeric: true,
  },
];

function lastSeen(arm) {
  if (arm.lastAt === null) return "never";
  if (run.ended || !following) return clock(arm.lastAt);
  return `${duration(Math.max(0, Date.now() / 1000 - arm.lastAt))} ago`;
}

const draw = perFrame(() => {
  const slider = $("moment");
  slider.max = run.entries;
  if (following) slider.value = run.entries;
  const at = Number(slider.value);
  standings = run.at(at);
  const told = headline(standings);
  if ($("headline").textContent !== (told.textContent ?? told)) $("headline").replaceChildren(told);
  $("subline").textContent = subline(standings);
  const said = standings.over ? outlook(run.result) : [];
  $("outlook").replaceChildren(...said.map((text) => h("p", {}, text)));
  const event = `event ${count(at)} of ${count(run.entries)}`;
  const where = `${event}, round ${standings.round}, ${clock(run.timeOf(at))}`;
  $("moment-text").textContent = where;
  slider.setAttribute("aria-valuetext", where);
  $("follow").textContent = run.ended ? "End" : "Live";
  $("follow").disabled = following;
  $("follow").setAttribute("aria-pressed", following);
  document.body.classList.toggle("past", !following);
  figures(standings);
  for (const chart of charts) chart.redraw();
  arms.show(standings.ranked);
  agents.show(standings.ranked);
  const hasEndBins = standings.ranked.some((arm) => arm.outermost !== null);
  $("agents-note").textContent = hasEndBins ? END_BINS : "";
  list(at);
});

async function list(at) {
  if (listed === at) return;
  listed = at;
  const after = Math.max(0, at - LOG);
  try {
    const { events } = await get(`/runs/${run.row.run}/events?after=${after}&limit=${LOG}`);
    if (listed !== at) return; // a later call is under way
    problem(null);
    const shown = events.filter((event) => event.sequence <= at).reverse();
    $("log").replaceChildren(...shown.map(logLine));
  } catch (error) {
    if (listed !== at) return;
    listed = null; // the next drawing asks again
    problem(error.message);
    setTimeout(draw, RETRY);
  }
}

function logLine(event) {
  return h(
    "li",
    { value: event.sequence, "data-sequence": event.sequence },
    h("span", { class: "quiet mono" }, clock(event.at)),
    " ",
    h("span", {}, event.text),
    " ",
    event.messages ? framesButton(event) : null,
  );
}

function framesButton(event) {
  const onclick = () => showFrames(event);
  const properties = { type: "button", class: "quiet", "data-frames": event.sequence, onclick };
  return h(
    "button",
    properties,
    event.messages === 1 ? "frame" : `${count(event.messages)} frames`,
  );
}

async function showFrames(event) {
  const place = $("frames");
  try {
    const found = await get(`/runs/${run.row.run}/events/${event.sequence}/frames`);
    const rest = found.total - found.frames.length;
    place.replaceChildren(
      h("h3", { tabindex: -1 }, `Event ${event.sequence}: ${event.text}`),
      ...found.frames.map(frameView),
      rest > 0 ? h("p", { class: "quiet" }, `and ${count(rest)} more of the same kind`) : "",
    );
    place.firstChild.focus();
  } catch (error) {
    place.replaceChildren(h("p", { class: "problem" }, error.message));
  }
}

const END_BINS =
  "End-bin symbols name an end of the interval in which the mean was expected: " +
  "many of them say that it may have left it.";

function wordValue(word, value) {
  if (word === "seed") return String(value);
  if (Array.isArray(value)) return value.map(number).join(word === "bounds" ? " to " : ", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Number.isInteger(value)) return count(value);
  return typeof value === "number" ? number(value) : value;
}

function settings() {
  const words = Object.entries(run.settings).filter(([, value]) => value !== null);
  define($("settings"), [
    ...words.map(([word, value]) => [word, wordValue(word, value)]),
    ["fingerprint", run.row.fingerprint],
    ["opened", dateOf(run.row.opened_at)],
  ]);
}

function play() {
  if (playing !== null) {
    stop();
    return;
  }
  if (following || Number($("moment").value) >= run.entries) $("moment").value = 1;
  following = false;
  $("play").textContent = "Pause";
  const step = Math.max(1, Math.round(run.entries / (PLAY_SECONDS * 20)));
  playing = setInterval(() => {
    const at = Math.min(run.entries, Number($("moment").value) + step);
    $("moment").value = at;
    if (at >= run.entries) {
      following = true;
      stop();
    }
    draw();
  }, 50);
  draw();
}

function stop() {
  clearInterval(playing);
  playing = null;
  $("play").textContent = "Play";
}

function controls() {
  $("moment").addEventListener("input", () => {
    stop();
    following = Number($("moment").value) >= run.entries;
    draw();
  });
  $("play").addEventListener("click", play);
  $("follow").addEventListener("click", () => {
    stop();
    following = true;
    draw();
  });
}

function rowClass(arm) {
  if (arm.arm === standings.best) return "is-best";
  return arm.outIn === null ? null : "is-out";
}

function armTable(id, caption, columns) {
  const filter = run.arm_names.length > 20 ? "Find an arm" : null;
  return new PagedTable($(id), { columns, caption, size: 25, rowClass, filter });
}

async function take(delta) {
  if (!run.add(delta)) {
    if (delta.row.entries <= run.entries) return; // seen before the line was lost
    Object.assign(run, new Run(await insist(`/runs/${run.row.run}`)));
  }
  draw();
}

begin(async () => {
  run = new Run(await insist(`/runs/${encodeURIComponent(wantedRun)}`));
  standings = run.at(run.entries);
  $("content").hidden = false;
  document.title = `Run ${run.row.run} · bitarm`;
  $("race-note").textContent = raceNote(run.settings);
  $("problem-file").textContent = run.problem;
  charts = [
    raceChart($("race"), run, now),
    roundsChart($("rounds"), run, now),
    bitsChart($("bits"), run, now),
    samplesChart($("samples"), run, now),
  ];
  arms = armTable("arms", "Arms, contenders first", armColumns());
  agents = armTable("agents", "Agents, contenders first", agentColumns());
  settings();
  controls();
  draw();
  addEventListener("themechange", draw);
  setInterval(() => {
    if (!run.ended) draw();
  }, 5000);
  const lineDown = (lost) => document.body.classList.toggle("lost", lost && !run.ended);
  listen(() => `/runs/${run.row.run}/stream?after=${run.entries}`, "run", take, lineDown);
});
