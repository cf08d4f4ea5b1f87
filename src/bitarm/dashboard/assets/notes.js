// What is said of a run beside its figures: by what an arm falls, and what is known without answer.

import { compact, count, number } from "./format.js";

const TOLD = "Each option’s mean as it was told last";

// What is drawn around a mean, by the width. One of another package is taken to judge pairs.
const SHOWN = {
  intervals: "the interval in which the true mean lies",
  evidence: "how far off that may be",
  pairs: "half of the lead that decides between two options with as many pulls",
};

const FALLS = {
  intervals: "An option falls when its interval lies wholly below another’s.",
  evidence: "Options are compared in pairs, and many fall while two intervals still meet.",
  pairs:
    "Options are compared in pairs: where two intervals no longer meet at equal pulls, the lower " +
    "one is out.",
};

const WIDTHS = {
  paper: "intervals",
  lil: "intervals",
  intervals: "intervals",
  "sub-gaussian": "evidence",
};

// Policies under which nobody falls.
const ENDS = {
  lucb: "None falls: the run ends when the leader beats every other.",
  "top-two": "None falls: the run ends when the leader beats every other.",
  "lil-ucb": "None falls: the run ends when the leader beats every other.",
  "lil-ucb-count": "None falls: the run ends when the leader has most of the pulls.",
};

function ofAgents(epsilon) {
  const [better, most] = epsilon
    ? [
        `better, or at most ${number(epsilon)} worse`,
        `at most ${number(epsilon)} above the leader’s`,
      ]
    : ["better", "at most the leader’s"];
  return (
    `${TOLD}, and how far off that is likely to be by a rough model of its rewards: the interval ` +
    "is a picture, nothing is decided by it. An option gives up when its own rewards show that " +
    `the leader is ${better}: its true mean is ${most}. The mean in brackets was told before.`
  );
}

// Why an option falls, by the policy and the width in use.
export function raceNote({ policy, width, delta, epsilon }) {
  if (policy === "challenge") return ofAgents(epsilon);
  if (delta === undefined || delta === null) {
    return `${TOLD}. The lowest fall by rank; nothing is proven.`;
  }
  const kind = WIDTHS[width] ?? "pairs";
  const nearly = epsilon
    ? ` In the end a lead that lacks at most the tolerance, ${number(epsilon)}, will do.`
    : "";
  return `${TOLD}, and ${SHOWN[kind]}. ${ENDS[policy] ?? FALLS[kind]}${nearly}`;
}

function leadOf({ lead, runner_up_name: next }) {
  if (next === null) return "";
  return lead === 0 ? `, level with ${next}` : `, by ${number(lead)} over ${next}`;
}

// Sentences on a run that ended without an answer: a guess, a claim and an estimate.
export function outlook(result) {
  if (result === null || result.best_arm !== null || result.leader_name === null) return [];
  const said = [`Best guess: ${result.leader_name}${leadOf(result)}; nothing is proven of it.`];
  if (result.excluded.length > 0) {
    const named = result.excluded.slice(0, 4).join(", ");
    const more = result.excluded.length - 4;
    const names = more > 0 ? `${named} and ${count(more)} more` : named;
    said.push(`Not the best: ${names} (${result.excluded_reason}).`);
  }
  if (result.to_decide !== null) {
    const { samples, payload_bits, rule } = result.to_decide;
    const cost = `about ${compact(samples)} samples and ${count(payload_bits)} bits more`;
    said.push(`To decide: ${cost}, ${rule}.`);
  }
  return said;
}
