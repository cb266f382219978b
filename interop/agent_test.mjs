// A client on the official SDK drives `acp agent`, which works with the model server of the tests.
//   agent_test.mjs ACP_PROGRAM [--version 1|2] [--only PART_OF_A_NAME] [--parallel N] [--list]
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { Sdk } from "../acp/schema/agreement/sdk.mjs";
import { OF_VERSION_1 } from "./agent/of_version1.mjs";
import { scenarios as onlyVersion2 } from "./agent/only_version2.mjs";
import { SCENARIOS } from "./agent/scenarios.mjs";
import { Stage } from "./agent/stage.mjs";
import { within } from "./deadline.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    version: { type: "string", default: "1" }, // of the protocol
    only: { type: "string" },
    parallel: { type: "string", default: String(Math.min(2, availableParallelism())) },
    list: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});
const program = resolve(positionals[0]); // each agent is started in a folder of its own
const version = Number(values.version);
const schema = await Sdk.load(`v${version}`, true);

const scenarios =
  version === 1
    ? SCENARIOS
    : [...SCENARIOS.filter(({ name }) => !(name in OF_VERSION_1)), ...onlyVersion2];
const parts = scenarios.flatMap(({ apis = ["openai"], ...scenario }) =>
  apis.map((api) => ({ ...scenario, api, name: `${scenario.name} (${api})` })),
).filter(({ name }) => !values.only || name.includes(values.only));

async function run({ api, play, minutes }) {
  const stage = await Stage.open({ program, api, schema, version });
  try {
    await within(play(stage), "the scenario's end", minutes);
    await within(stage.check(), "what is checked after a scenario");
  } catch (error) {
    error.stack += stage.editors.map(tail).join("");
    throw error;
  } finally {
    await stage.close();
  }
}

// The last of what passed, to find the reason.
function tail({ transcript: { entries }, stderr }) {
  const count = values.verbose ? Infinity : 8;
  const lines = entries
    .slice(-count)
    .map(({ from, message }) => `  ${from}: ${JSON.stringify(message).slice(0, 400)}`);
  return `\n  the last messages:\n${lines.join("\n")}\n  stderr: ${stderr.slice(-1000)}`;
}

// A scenario that has failed leaves promises that nobody waits for.
process.on("unhandledRejection", (error) => {
  if (values.verbose) console.log(`  nobody waited for: ${error.stack}`);
});

let passed = 0;
const failures = [];
async function worker(queue) {
  for (let part = queue.shift(); part; part = queue.shift()) {
    const began = performance.now();
    const time = () => `${((performance.now() - began) / 1000).toFixed(1)} s`;
    try {
      await run(part);
      ++passed;
      console.log(`ok ${part.name}, ${time()}`);
    } catch (error) {
      failures.push(part.name);
      console.log(`FAILED ${part.name}, ${time()}\n  ${error.stack}\n`);
    }
  }
}

if (values.list) {
  for (const { name } of parts) console.log(name);
} else {
  const queue = [...parts];
  await Promise.all(Array.from({ length: Number(values.parallel) }, () => worker(queue)));
  for (const name of failures) console.log(`FAILED ${name}`);
  if (version !== 1 && !values.only)
    for (const [name, reason] of Object.entries(OF_VERSION_1))
      console.log(`of version 1: ${name}: ${reason}`);
  console.log(`${passed} passed, ${failures.length} failed`);
  // What is left running of a failed scenario keeps no one waiting.
  process.exit(failures.length === 0 && passed > 0 ? 0 : 1);
}
