// A run's events as columns, and where the run stood at any of its moments. Decodes and decides
// nothing: it only repeats what the learner wrote down.

const RAW_REWARD_BITS = 64;
const LOST = "arms_lost"; // the event of an agent that was not heard from for too long
const QUIET = 60; // seconds without an event after which an open run is called quiet

// Seconds since the last event of a run.
export const silence = (row) => Date.now() / 1000 - row.last_at;

// Whether a run is open, and something happened in it lately.
export const isLive = (row) => row.state === "open" && silence(row) < QUIET;

export class Run {
  constructor(view) {
    Object.assign(this, view);
  }

  get entries() {
    return this.row.entries;
  }

  get ended() {
    return this.row.state === "ended";
  }

  // Take in what the stream sent; false if it does not fit on what is here.
  add(delta) {
    if (delta.after !== this.entries) return false;
    for (const table of Object.keys(this.timeline)) {
      for (const [column, values] of Object.entries(delta.timeline[table])) {
        for (const value of values) this.timeline[table][column].push(value);
      }
    }
    Object.assign(this, {
      row: delta.row,
      agents: delta.agents,
      result: delta.result,
      caveats: delta.caveats,
    });
    return true;
  }

  // Every arm as entry `moment` left it, and what had been paid by then.
  at(moment) {
    const { reports, drops, notes, rounds } = this.timeline;
    const arms = this.arm_names.map((name, arm) => newArm(arm, name, this.agents[arm] ?? null));
    const perRound = openedRounds(rounds, moment);
    takeReports(reports, moment, arms, perRound);
    takeDrops(drops, moment, arms);
    takeNotes(notes, moment, arms, perRound);
    for (const arm of arms) arm.outIn = arm.droppedIn ?? arm.lostIn;
    const over = this.ended && moment >= this.entries;
    const best = over ? this.row.best_arm : null;
    const sum = (key) => perRound.reduce((total, one) => total + one[key], 0);
    return {
      moment,
      arms,
      ranked: [...arms].sort(byStanding(best)),
      perRound,
      best,
      over,
      outcome: over ? this.row.outcome : null,
      round: perRound.length,
      samples: sum("samples"),
      atMost: arms.some((arm) => arm.atMost),
      bits: sum("bits"),
      rawBits: sum("rawBits"),
      contenders: arms.filter((arm) => arm.outIn === null),
    };
  }

  // When entry `moment` was written.
  timeOf(moment) {
    let latest = this.row.opened_at;
    for (const table of Object.values(this.timeline)) {
      const i = upTo(table.sequence, moment) - 1;
      if (i >= 0) latest = Math.max(latest, table.at[i]);
    }
    return latest;
  }
}

// An arm before anything was heard of it.
function newArm(arm, name, agent) {
  return {
    arm,
    name,
    id: arm,
    agent,
    mean: null,
    radius: null,
    beatenBy: null,
    pulls: 0,
    atMost: false,
    messages: 0,
    bits: 0,
    points: [],
    droppedIn: null,
    droppedFor: null,
    lostIn: null,
    outIn: null,
    lastAt: null,
    repeats: 0,
    restarts: 0,
    outermost: null,
  };
}

function openedRounds(rounds, moment) {
  const opened = [];
  const end = upTo(rounds.sequence, moment);
  for (let i = 0; i < end; i++) {
    const [round, arms, at] = [rounds.round[i], rounds.arms[i], rounds.at[i]];
    opened.push({ round, arms, at, samples: 0, bits: 0, rawBits: 0 });
  }
  return opened;
}

function takeReports(reports, moment, arms, perRound) {
  const end = upTo(reports.sequence, moment);
  for (let i = 0; i < end; i++) {
    const arm = arms[reports.arm[i]];
    const paid = perRound[reports.round[i] - 1];
    if (paid) {
      const samples = reports.pulls[i] - arm.pulls;
      paid.samples += samples;
      paid.bits += reports.nbits[i];
      paid.rawBits += samples * RAW_REWARD_BITS;
    }
    takeReport(reports, i, arm);
  }
}

function takeReport(reports, i, arm) {
  const [mean, radius] = [reports.mean[i], reports.radius[i]];
  arm.mean = mean;
  arm.radius = radius;
  arm.beatenBy = reports.beaten_by[i];
  arm.pulls = reports.pulls[i];
  arm.atMost = arm.beatenBy !== null; // it stopped by itself; after how many, it tells in the end
  arm.messages = reports.message[i];
  arm.bits += reports.nbits[i];
  arm.lastAt = reports.at[i];
  if (reports.outermost[i] !== null) arm.outermost = (arm.outermost ?? 0) + reports.outermost[i];
  const { pulls, beatenBy } = arm;
  arm.points.push({ round: reports.round[i], pulls, mean, radius, beatenBy });
}

function takeDrops(drops, moment, arms) {
  const end = upTo(drops.sequence, moment);
  for (let i = 0; i < end; i++) {
    const arm = arms[drops.arm[i]];
    arm.droppedIn = drops.round[i];
    arm.droppedFor = drops.because[i];
  }
}

function takeNotes(notes, moment, arms, perRound) {
  const end = upTo(notes.sequence, moment);
  for (let i = 0; i < end; i++) {
    notes.arms[i].forEach((number, place) => {
      if (notes.counts[i] !== null) takeCount(arms[number], notes.counts[i][place], perRound);
      else takeNote(notes, i, arms[number]);
    });
  }
}

// What an arm that gave up was spared comes off the rounds in which it was asked for it: not always
// the last, since with a tolerance it can give up, and again in a later round.
function takeCount(arm, pulls, perRound) {
  if (!arm.atMost || pulls > arm.pulls) return;
  arm.points.forEach((point, i) => {
    const spared = point.pulls - Math.max(pulls, arm.points[i - 1]?.pulls ?? 0);
    const paid = perRound[point.round - 1];
    if (!paid || spared <= 0) return;
    paid.samples -= spared;
    paid.rawBits -= spared * RAW_REWARD_BITS;
  });
  arm.pulls = pulls;
  arm.atMost = false;
}

function takeNote(notes, i, arm) {
  if (notes.name[i] === LOST) arm.lostIn = notes.round[i];
  else arm.lastAt = Math.max(arm.lastAt ?? 0, notes.at[i]);
  arm.repeats += notes.times[i] ?? 0;
  arm.restarts = notes.restarts[i] ?? arm.restarts;
}

// The answer first, then the contenders by mean, then the fallen, the latest first.
function byStanding(best) {
  return (a, b) =>
    (b.arm === best) - (a.arm === best) ||
    (a.outIn !== null) - (b.outIn !== null) ||
    (b.outIn ?? 0) - (a.outIn ?? 0) ||
    (b.mean ?? -Infinity) - (a.mean ?? -Infinity) ||
    a.arm - b.arm;
}

// How many of these ascending numbers are at most `most`.
function upTo(numbers, most) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function stateOf(arm, standings, names) {
  if (arm.arm === standings.best) return standings.outcome === "budget_spent" ? "did best" : "best";
  if (arm.droppedIn !== null && arm.beatenBy !== null) {
    return `gave up in round ${arm.droppedIn} to ${names[arm.droppedFor]}`;
  }
  if (arm.droppedIn !== null) return `out in round ${arm.droppedIn}, by ${names[arm.droppedFor]}`;
  if (arm.lostIn !== null) return `lost in round ${arm.lostIn}: not heard from`;
  return standings.over ? "not decided" : "in the race";
}

// How an arm is drawn that stands at this place of the ranking.
export function armClass(arm, standings, place) {
  if (arm.arm === standings.best) return "best";
  if (arm.outIn !== null) return "out";
  return place === 0 ? "leader" : "in";
}
