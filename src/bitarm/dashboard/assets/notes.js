// What is said of a run beside its figures: by what an arm falls, and what is known without answer.

import { compact, count, number } from "./format.js";

const TOLD = "Each option’s mean as it was told last, and ";

const FALLS = {
  agents:
    `${TOLD}how far off that is likely to be by a rough model of its rewards: the interval is a ` +
    "picture, nothing is decided by it. An option gives up when its own rewards show that the " +
    "leader is better: its true mean is at most the leader’s. The mean in brackets was told before.",
  intervals:
    `${TOLD}the interval in which the true mean lies. An option falls when its interval lies ` +
    "wholly below another’s.",
  pairs:
    `${TOLD}half of the lead that decides between two options with as many pulls. Options are ` +
    "compared in pairs: where two intervals no longer meet at equal pulls, the lower one is out.",
  budget: "Each option’s mean as it was told last. The lowest fall by rank; nothing is proven.",
};

const WIDTHS = { paper: "intervals", lil: "intervals", intervals: "intervals" };

// Why an option falls, by the policy and the width in use.
export function raceNote({ policy, width, delta }) {
  if (policy === "challenge") return FALLS.agents;
  if (delta === undefined || delta === null) return FALLS.budget;
  return FALLS[WIDTHS[width] ?? "pairs"];
}

// Sentences on a run that ended without an answer: a guess, a claim and an estimate.
export function outlook(result) {
  if (result === null || result.best_arm !== null || result.leader_name === null) return [];
  const lead =
    result.runner_up_name === null
      ? ""
      : `, by ${number(result.lead)} over ${result.runner_up_name}`;
  const said = [`Best guess: ${result.leader_name}${lead}; nothing is proven of it.`];
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
