// The dashboard's API: answers, streams, and what went wrong in words.

import { $ } from "./dom.js";

export function problem(text) {
  const banner = $("problem");
  if (banner.textContent === (text ?? "")) return;
  banner.hidden = !text;
  banner.textContent = text ?? "";
}

export const RETRY = 2000; // milliseconds until something that failed is asked for again

export async function get(path) {
  return answer(await reach(path));
}

export async function post(path, body) {
  const headers = { "content-type": "application/json" };
  return answer(await reach(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

// A browser's own words for a server that is gone differ, and say little.
async function reach(path, options) {
  try {
    return await fetch(`/api/v1${path}`, options);
  } catch {
    throw new Error("the dashboard does not answer: is it still running?");
  }
}

async function answer(response) {
  const body = await response
    .json()
    .catch(() => ({ error: `the server answered ${response.status}` }));
  if (!response.ok) throw new Error(body.error ?? `the server answered ${response.status}`);
  return body;
}

// Server-sent events of one kind; `lost` is told whether the line is down. `path` is a function:
// a browser that lost the line asks again by itself, one that was refused does not.
export function listen(path, kind, take, lost = () => {}) {
  let source = null;
  let timer = null;
  const close = () => {
    clearTimeout(timer);
    source?.close();
  };
  const open = () => {
    close();
    source = new EventSource(`/api/v1${path()}`);
    source.addEventListener(kind, (message) => {
      problem(null);
      lost(false);
      take(JSON.parse(message.data));
    });
    source.addEventListener("problem", (message) => problem(JSON.parse(message.data).error));
    source.addEventListener("error", () => {
      lost(true);
      if (source.readyState === EventSource.CLOSED) {
        problem("the dashboard refuses to send news for now: too many pages may listen to it");
        timer = setTimeout(open, RETRY);
      }
    });
  };
  open();
  addEventListener("pagehide", close);
  // Who goes back to a page may be shown it as it was left.
  addEventListener("pageshow", (event) => event.persisted && open());
}

async function nameStore() {
  const store = await get("/store");
  $("store").textContent = `${store.path} · bitarm ${store.version}`;
  if (!store.ready) problem(store.reason);
}

// Ask until there is an answer; meanwhile the page says why there is none.
export async function insist(path) {
  for (;;) {
    try {
      const found = await get(path);
      problem(null);
      return found;
    } catch (error) {
      problem(error.message);
      await new Promise((resume) => setTimeout(resume, RETRY));
    }
  }
}

// Run a page's work; what it throws is shown, not swallowed.
export async function begin(work) {
  nameStore().catch((error) => problem(error.message));
  try {
    await work();
  } catch (error) {
    problem(error.message);
  }
}
