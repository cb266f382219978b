// The npm SDK as an agent on its pipes. Run by bench_wire.
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";

import { app } from "./npm_words.mjs";

app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
