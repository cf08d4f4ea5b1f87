// Elements made from values. Text is always text: nothing here parses HTML.

export const $ = (id) => document.getElementById(id);

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// The head of a table from the names of its columns.
export const headings = (names) =>
  h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name))));

// A definition list from pairs of words and values.
export function define(list, pairs) {
  list.replaceChildren(
    ...pairs
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([word, ...value]) =>
        h("div", {}, h("dt", {}, word), ...value.map((one) => h("dd", {}, one))),
      ),
  );
}

// At most one call per frame, however often it is asked for.
export function perFrame(draw) {
  let due = false;
  return () => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      draw();
    });
  };
}
