// Numbers, times and words for people.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const count = (n) => whole.format(n);
export const compact = (n) => (Math.abs(n) < 10_000 ? whole.format(n) : short.format(n));
// A number of pulls; of arms that gave up it may be known only from above.
export const pulls = (n, atMost) => (atMost ? `≤ ${count(n)}` : count(n));
export const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

// Four significant digits, and no more zeros than needed.
export function number(x) {
  if (x === null || x === undefined) return "–";
  if (x !== 0 && (Math.abs(x) < 1e-4 || Math.abs(x) >= 1e6)) return x.toExponential(2);
  return String(Number(x.toPrecision(4)));
}

// Means and radii side by side: as many decimals as the radius calls for.
export function interval(mean, radius) {
  if (radius === null) return mean.toFixed(4);
  const decimals = Math.min(8, Math.max(2, 2 - Math.floor(Math.log10(radius || 1))));
  return `${mean.toFixed(decimals)} ± ${radius.toFixed(decimals)}`;
}

// An arm's mean, with its interval; in brackets if the arm gave up after it told that.
export function standing(arm) {
  if (arm.mean === null) return "not heard from yet";
  const told = interval(arm.mean, arm.radius);
  return arm.beatenBy === null || arm.beatenBy === undefined ? told : `(${told})`;
}

export function duration(seconds) {
  if (seconds < 0.0005) return "0 ms";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (seconds < 86400) {
    return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
  }
  return plural(Math.floor(seconds / 86400), "day");
}

const two = (n) => String(n).padStart(2, "0");

export function moment(at) {
  const t = new Date(at * 1000);
  const date = [t.getFullYear(), two(t.getMonth() + 1), two(t.getDate())];
  const time = [two(t.getHours()), two(t.getMinutes()), two(t.getSeconds())];
  return `${date.join("-")} ${time.join(":")}`;
}

export const clock = (at) => moment(at).slice(11);

export function bytes(bits) {
  const n = bits / 8;
  if (n < 1000) return `${whole.format(Math.ceil(n))} bytes`;
  if (n < 1e6) return `${(n / 1000).toPrecision(3)} kB`;
  if (n < 1e9) return `${(n / 1e6).toPrecision(3)} MB`;
  return `${(n / 1e9).toPrecision(3)} GB`;
}

const REASONS = {
  round_limit: "the limit on rounds was reached",
  sample_limit: "the limit on samples was reached",
  bit_limit: "the limit on bits was reached",
  agent_lost: "an agent was lost",
  budget_spent: "the budget is spent",
  interrupted: "the run was interrupted",
  data_exhausted: "there are no more rewards",
};

export const reason = (outcome) => REASONS[outcome] ?? outcome.replaceAll("_", " ");

export const scheme = (row) =>
  `${row.quantizer}${row.bits === null ? "" : ` ${plural(row.bits, "bit")}`} · ${row.policy}`;
