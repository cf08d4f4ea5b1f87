// A message as it goes over the wire: every bit, and what it means.

import { h, headings } from "./dom.js";
import { plural } from "./format.js";

export function frameView(frame, position) {
  return h(
    "details",
    { class: "frame", open: position === 0 },
    h("summary", {}, `${frame.message} · ${frame.arm_name}`),
    h("p", { class: "quiet" }, `${summary(frame)} · `, h("code", {}, frame.hex)),
    h("p", { class: "bitline mono", "aria-hidden": "true" }, ...frame.fields.map(fieldBits)),
    h("div", { class: "wide" }, fieldTable(frame)),
  );
}

function summary(frame) {
  const toLearner = ["report", "position"].includes(frame.message);
  const direction = toLearner ? "agent to learner" : "learner to agent";
  const told = `${direction} · ${plural(frame.wire_bytes, "byte")}`;
  if (frame.message !== "report") return told;
  return `${told}, ${plural(frame.payload_bits, "bit")} of them payload`;
}

function fieldBits(field, i) {
  const properties = {
    class: `bits tint-${i % 4}`,
    "data-field": i,
    title: `${field.name}: ${field.meaning}`,
    onpointerenter: mark,
  };
  return h("span", properties, grouped(field));
}

function fieldTable(frame) {
  return h(
    "table",
    {},
    h("caption", { class: "unseen" }, `The fields of this ${frame.message}`),
    headings(["field", "bits", "meaning", "value"]),
    h("tbody", {}, ...frame.fields.map(fieldRow)),
  );
}

function fieldRow(field, i) {
  const swatch = h("span", { class: `swatch tint-${i % 4}`, "aria-hidden": "true" });
  const bits = field.bits.length > 40 ? `${field.bits.slice(0, 39)}…` : field.bits;
  return h(
    "tr",
    { "data-field": i, tabindex: 0, onpointerenter: mark, onfocus: mark },
    h("th", { scope: "row" }, swatch, field.name),
    h("td", { class: "number" }, place(field)),
    h("td", {}, field.meaning),
    h("td", { class: "mono" }, bits),
  );
}

// A field's bits and its row are marked together.
function mark(event) {
  const { field } = event.currentTarget.dataset;
  for (const one of event.currentTarget.closest(".frame").querySelectorAll("[data-field]")) {
    one.classList.toggle("marked", one.dataset.field === field);
  }
}

const place = (field) =>
  field.nbits === 1
    ? String(field.first_bit)
    : `${field.first_bit}–${field.first_bit + field.nbits - 1}`;

// A thin space between bytes, counted from the frame's first bit.
function grouped(field) {
  let text = "";
  for (let i = 0; i < field.nbits; i++) {
    if (i > 0 && (field.first_bit + i) % 8 === 0) text += "\u2009";
    text += field.bits[i];
  }
  return text;
}
