// A message as it goes over the wire: every bit, and what it means.

import { h } from "./dom.js";
import { plural } from "./format.js";

export function frameView(frame, position) {
  const marked = (i) => (event) => {
    const card = event.currentTarget.closest(".frame");
    card
      .querySelectorAll("[data-field]")
      .forEach((one) => one.classList.toggle("marked", one.dataset.field === String(i)));
  };
  const runs = frame.fields.map((field, i) =>
    h(
      "span",
      {
        class: `bits tint-${i % 4}`,
        "data-field": i,
        title: `${field.name}: ${field.meaning}`,
        onpointerenter: marked(i),
      },
      grouped(field),
    ),
  );
  const rows = frame.fields.map((field, i) =>
    h(
      "tr",
      { "data-field": i, tabindex: 0, onpointerenter: marked(i), onfocus: marked(i) },
      h(
        "th",
        { scope: "row" },
        h("span", { class: `swatch tint-${i % 4}`, "aria-hidden": "true" }),
        field.name,
      ),
      h("td", { class: "number" }, place(field)),
      h("td", {}, field.meaning),
      h(
        "td",
        { class: "mono" },
        field.bits.length > 40 ? `${field.bits.slice(0, 39)}…` : field.bits,
      ),
    ),
  );
  const direction = ["report", "position"].includes(frame.message)
    ? "agent to learner"
    : "learner to agent";
  return h(
    "details",
    { class: "frame", open: position === 0 },
    h("summary", {}, `${frame.message} · ${frame.arm_name}`),
    h(
      "p",
      { class: "quiet" },
      `${direction} · ${plural(frame.wire_bytes, "byte")}` +
        (frame.message === "report"
          ? `, ${plural(frame.payload_bits, "bit")} of them payload`
          : "") +
        " · ",
      h("code", {}, frame.hex),
    ),
    h("p", { class: "bitline mono", "aria-hidden": "true" }, runs),
    h(
      "div",
      { class: "wide" },
      h(
        "table",
        {},
        h("caption", { class: "unseen" }, `The fields of this ${frame.message}`),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["field", "bits", "meaning", "value"].map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        h("tbody", {}, rows),
      ),
    ),
  );
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
