// How much of its heap MicroPython needs for the agent: printed as JSON.
import { readFileSync } from "node:fs";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";

const python = await loadMicroPython({ heapsize: 1 << 20 });
const text = (path) => readFileSync(new URL(path, import.meta.url), "utf-8");
for (const name of ["bitarm_agent.py"]) {
  python.FS.writeFile(`/${name}`, text(`../../devices/micropython/${name}`));
}
python.FS.writeFile("/bench.py", text("bench.py"));
python.runPython(`
import gc, json, sys
sys.path.append("/")
def used():
    gc.collect()
    return gc.mem_alloc()
before = used()
import bitarm_agent
code = used() - before
from bench import Flash
before = used()
agent = bitarm_agent.Agent(Flash(), 16, 0, 65536)
one = used() - before
print(json.dumps({"code": code, "agent": one}))
`);
