// The test's model server, read by the official SDKs: if they understand it, it speaks the formats.
import assert from "node:assert/strict";

import { scenarios as anthropic } from "./model/anthropic_scenarios.mjs";
import { scenarios as openai } from "./model/openai_scenarios.mjs";
import { scenarios as server } from "./model/server_scenarios.mjs";
import { within } from "./deadline.mjs";
import { ModelServer } from "./model_server.mjs";

let passed = 0;
let failed = 0;
for (const { name, run, minutes } of [...openai, ...anthropic, ...server]) {
  const model = await ModelServer.start();
  try {
    await within(run(model), "the scenario's end", minutes);
    assert.deepEqual(model.problems, []);
    ++passed;
    console.log(`ok ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED ${name}\n${error.stack}`);
  } finally {
    await model.stop();
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
