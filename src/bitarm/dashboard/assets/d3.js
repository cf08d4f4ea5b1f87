// The vendored library is no module: it leaves its name with the browser.
import "./vendor/d3.min.js";

export const d3 = globalThis.d3;
