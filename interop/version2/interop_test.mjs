// Version 2, both ways: a client on the official SDK's draft with our agent, and our client with an
// agent on it. `interop_test.mjs ECHO_AGENT CLIENT [--only NAME] [--transport http|ws --server
// REMOTE_SERVER]`; prints what was seen of every method. Over HTTP and WebSocket it is one whole turn,
// or all of it where ACP_LONG is set.
import { parseArgs } from "node:util";

import { Sdk } from "../../acp/schema/agreement/sdk.mjs";
import { runOurClient } from "../client_column.mjs";
import { COLUMNS, Matrix, rowsOf } from "../matrix.mjs";
import { runAgainstOurAgent } from "./agent_column.mjs";
import { expectedOf, WHOLE_TURN } from "./expected.mjs";
import { VERSION_2 } from "./outcomes.mjs";
import { problemsOf } from "./rules.mjs";

const {
  values: { only, transport, server },
  positionals: [agent, client],
} = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    transport: { type: "string", default: "stdio" },
    server: { type: "string" },
  },
});
const sdks = await Promise.all(["v1", "v2"].map((version) => Sdk.load(version, version === "v1")));
const { defs } = sdks[1];
const remote = transport !== "stdio";
const whole = remote && !process.env.ACP_LONG && !only;
const filter = whole ? "*.WholeTurn" : only && `*${only}*`;

const columns = [
  await runAgainstOurAgent(agent, { only, whole, remote: server && { server, transport } }),
  await runOurClient(client, filter ? [`--gtest_filter=${filter}`] : [], transport),
];
const matrix = new Matrix(VERSION_2);
const failures = [];
columns.forEach((result, column) => {
  failures.push(...result.failures.map((failure) => `${COLUMNS[column]}: ${failure}`));
  for (const transcript of result.transcripts) {
    matrix.addTranscript(column, transcript);
    if (transcript.raw) continue; // it is full of what is no message
    const problems = problemsOf(transcript, column === 0 ? "agent" : "client", sdks);
    failures.push(...problems.map((problem) => `${COLUMNS[column]}: ${problem}`));
  }
});
console.log(matrix.toString(whole ? [...WHOLE_TURN.keys()] : rowsOf(defs)));
if (whole) failures.push(...matrix.missing(WHOLE_TURN));
else if (!only) {
  const expected = expectedOf(defs, remote);
  failures.push(...matrix.missing(expected.both));
  failures.push(...matrix.missing(expected.agent, [0]), ...matrix.missing(expected.client, [1]));
}
for (const failure of failures) console.log(`\nFAILED ${failure}`);
console.log(`\n${columns[0].passed} scenarios of an SDK client; ${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 1;
