// The runs page: every run in the store, live ones on top and moving.

import { begin, insist, listen } from "../api.js";
import { $, h, perFrame } from "../dom.js";
import { count, duration, moment, number, plural, pulls, scheme } from "../format.js";
import { PagedTable } from "../table.js";
import { isLive, silence } from "../timeline.js";

const rows = new Map();
let total = 0;

const lasted = (row) =>
  (row.ended_at ?? (isLive(row) ? Date.now() / 1000 : row.last_at)) - row.opened_at;

function stateCell(row) {
  if (row.state === "ended") return row.outcome.replaceAll("_", " ");
  if (isLive(row)) return h("span", { class: "live" }, "live");
  return `open, quiet for ${duration(silence(row))}`;
}

function answerCell(row) {
  if (row.best_arm_name !== null) return h("strong", {}, row.best_arm_name);
  if (row.state === "ended") return "none";
  return row.leader === null
    ? "–"
    : `${row.leader} leads, ${count(row.contenders)} of ${count(row.arms)} in`;
}

const columns = [
  {
    key: "run",
    label: "Run",
    value: (r) => r.run,
    cell: (r) => h("a", { href: `/runs/${r.run}` }, `Run ${r.run}`),
  },
  { key: "state", label: "State", value: (r) => r.outcome ?? "", cell: stateCell },
  {
    key: "answer",
    label: "Best arm",
    value: (r) => r.best_arm_name ?? r.leader ?? "",
    cell: answerCell,
  },
  { key: "guarantee", label: "Guarantee", value: (r) => r.guarantee, cell: guaranteeCell },
  {
    key: "rounds",
    label: "Rounds",
    value: (r) => r.rounds,
    cell: (r) => count(r.rounds),
    numeric: true,
  },
  {
    key: "samples",
    label: "Samples",
    value: (r) => r.samples,
    cell: (r) => pulls(r.samples, r.samples_at_most),
    numeric: true,
  },
  {
    key: "payload_bits",
    label: "Bits",
    value: (r) => r.payload_bits,
    cell: (r) => count(r.payload_bits),
    numeric: true,
  },
  { key: "scheme", label: "Scheme", value: scheme, cell: scheme },
  {
    key: "opened_at",
    label: "Started",
    value: (r) => r.opened_at,
    cell: (r) => moment(r.opened_at),
    numeric: true,
  },
  {
    key: "duration",
    label: "Took",
    value: lasted,
    cell: (r) => duration(lasted(r)),
    numeric: true,
  },
];

function guaranteeCell(row) {
  if (row.guarantee !== null) return `wrong ≤ ${number(row.guarantee)}`;
  return row.state === "ended" ? h("span", { title: row.guarantee_reason }, "none") : "–";
}

const table = new PagedTable($("runs"), {
  columns,
  caption: "All runs",
  size: 50,
  empty: "no run yet: bitarm identify makes one",
  rowClass: (row) => (isLive(row) ? "is-live" : null),
});

function wanted(row) {
  const state = $("state").value;
  if (state === "open" && row.state !== "open") return false;
  if (state === "decided" && row.outcome !== "decided") return false;
  if (state === "budget" && row.outcome !== "budget_spent") return false;
  if (state === "undecided" && (row.state !== "ended" || row.best_arm !== null)) return false;
  const needle = $("filter").value.trim().toLowerCase();
  const best = row.best_arm_name ?? row.leader;
  const words = [row.run, row.fingerprint, row.outcome ?? "open", best, scheme(row)];
  const text = words.join(" ").toLowerCase();
  return !needle || needle.split(/\s+/).every((word) => text.includes(word));
}

const show = perFrame(() => {
  const found = [...rows.values()].filter(wanted);
  found.sort((a, b) => isLive(b) - isLive(a) || b.run - a.run);
  table.show(found);
  const ofAll = found.length === total ? "" : ` of ${count(total)}`;
  $("count").textContent = `${plural(found.length, "run")}${ofAll}`;
});

function take(list) {
  for (const row of list.runs) rows.set(row.run, { ...row, id: row.run });
  total = list.total;
  if (rows.size > total) afresh();
  show();
}

// Some runs are gone from the store, and the stream does not say which.
async function afresh() {
  const list = await insist("/runs?limit=500");
  rows.clear();
  take(list);
  await older();
}

async function older() {
  while (rows.size < total) {
    const list = await insist(`/runs?limit=500&before=${Math.min(...rows.keys())}`);
    if (!list.runs.length) return;
    take(list);
  }
}

for (const id of ["filter", "state"]) $(id).addEventListener("input", show);
$("controls").addEventListener("submit", (event) => event.preventDefault());
setInterval(show, 5000); // what is live grows quiet without a word

// The newest runs come with the stream; what is older is asked for once.
function start() {
  let first = true;
  listen(
    () => "/runs/stream",
    "runs",
    (list) => {
      take(list);
      if (first) older();
      first = false;
    },
  );
}

begin(start);
