// An aedes broker on a port of the loopback: node aedes.mjs PORT
import { createServer } from "node:net";
import * as module from "aedes";

const Aedes = module.Aedes ?? module.default; // from 1.0 on, and before
const broker = await Aedes.createBroker();
createServer(broker.handle).listen(Number(process.argv[2]), "127.0.0.1");
