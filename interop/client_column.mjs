// Runs the tests of our client with an agent on the SDK, and reads what passed on the wire.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Transcript } from "./wire.mjs";

const ROOT = new URL("..", import.meta.url).pathname;

const SHARDS = 2; // starting so many agents is what takes the time

// {transcripts, failures}
// `transport`: "stdio", "http", "ws".
export async function runOurClient(program, args, transport) {
  const shards = Array.from({ length: SHARDS }, (_, index) => runShard(program, args, transport, index));
  const results = await Promise.all(shards);
  return {
    transcripts: results.flatMap(({ transcripts }) => transcripts),
    failures: results.flatMap(({ failures }) => failures),
  };
}

async function runShard(program, args, transport, index) {
  const folder = await mkdtemp(join(tmpdir(), "acp-interop-"));
  const file = join(folder, "transcript");
  try {
    const env = {
      ...process.env,
      ACP_INTEROP_TRANSCRIPT: file,
      ACP_INTEROP_TRANSPORT: transport,
      GTEST_BRIEF: "1",
      GTEST_TOTAL_SHARDS: String(SHARDS),
      GTEST_SHARD_INDEX: String(index),
    };
    const child = spawn(program, args, { cwd: ROOT, env, stdio: ["ignore", "inherit", "inherit"] });
    const [code, signal] = await once(child, "exit"); // a watchdog of its own ends it
    const failures = code === 0 ? [] : [`the tests: ${signal ?? `exit code ${code}`}`];
    return { transcripts: parse(await readFile(file, "utf8").catch(() => "")), failures };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function parse(text) {
  const connections = new Map();
  for (const line of text.split("\n").slice(0, -1)) {
    const { connection, from, message } = JSON.parse(line);
    if (!connections.has(connection)) connections.set(connection, new Transcript());
    connections.get(connection).add(from, message);
  }
  return [...connections.values()];
}
