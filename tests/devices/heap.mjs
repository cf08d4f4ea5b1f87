// How much of MicroPython's heap the agent holds: printed as JSON, in bytes.
//
// code: the imported file; agent: an agent that has heard nothing; most: what that agent comes to
// while it serves the lines of the input, and its two slots. This build collects garbage between
// calls from JavaScript alone, so it is looked at there: what a call needs meanwhile comes on top.
import { readFileSync } from "node:fs";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";

const python = await loadMicroPython({ heapsize: 1 << 20 });
const source = (path) => readFileSync(new URL(path, import.meta.url), "utf-8");
python.FS.writeFile("/bitarm_agent.py", source("../../devices/micropython/bitarm_agent.py"));
python.FS.writeFile("/bench.py", source("bench.py"));
const run = (text) => python.runPython(text);
run("import gc, sys\nsys.path.append('/')");
const used = () => {
  run("gc.collect()");
  run("used = gc.mem_alloc()");
  return python.globals.get("used");
};

let before = used();
run("import bitarm_agent");
const code = used() - before;
run("from bench import Arm");
const [first, ...lines] = readFileSync(0, "utf-8").trim().split("\n");
before = used();
run(`arm = Arm(*map(int, ${JSON.stringify(first)}.split()[2:]))`);
const agent = used() - before;
let most = agent;
for (const line of lines) {
  run(
    `arm.serve(*${JSON.stringify(line)}.split(" ", 2)[1:2], ${JSON.stringify(line)}.split()[2:])`,
  );
  most = Math.max(most, used() - before);
}
process.stdout.write(`${JSON.stringify({ code, agent, most })}\n`);
