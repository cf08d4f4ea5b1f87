// The bench of the agent for MicroPython, in MicroPython itself: lines in, lines out.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";

const python = await loadMicroPython({ heapsize: Number(process.argv[2] ?? 1 << 20) });
const text = (path) => readFileSync(new URL(path, import.meta.url), "utf-8");
python.FS.writeFile("/bitarm_agent.py", text("../../devices/micropython/bitarm_agent.py"));
python.FS.writeFile("/bench.py", text("bench.py"));
python.runPython("import sys\nsys.path.append('/')\nfrom bench import Bench\nask = Bench().ask");
const ask = python.globals.get("ask");
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${ask(line)}\n`);
}
