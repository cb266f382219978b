// Both ways: a client on the official SDK with our agent, and our client with an agent on the SDK.
// `interop_test.mjs ECHO_AGENT INTEROP_CLIENT [--only NAME] [--transport http|ws --server
// REMOTE_SERVER]`; prints what was seen of every method.
import { parseArgs } from "node:util";

import { Sdk } from "../acp/schema/agreement/sdk.mjs";
import { runAgainstOurAgent } from "./agent_column.mjs";
import { runOurClient } from "./client_column.mjs";
import { expectedOf } from "./expected.mjs";
import { COLUMNS, Matrix, rowsOf } from "./matrix.mjs";
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
const sdk = await Sdk.load("v1", true);

const columns = [
  await runAgainstOurAgent(agent, { only, remote: server && { server, transport } }),
  await runOurClient(client, only ? [`--gtest_filter=*${only}*`] : [], transport),
];
const matrix = new Matrix();
const failures = [];
columns.forEach((result, column) => {
  failures.push(...result.failures.map((failure) => `${COLUMNS[column]}: ${failure}`));
  for (const transcript of result.transcripts) {
    matrix.addTranscript(column, transcript);
    const problems = problemsOf(transcript, column === 0 ? "agent" : "client", sdk);
    failures.push(...problems.map((problem) => `${COLUMNS[column]}: ${problem}`));
  }
});
console.log(matrix.toString(rowsOf(sdk.defs)));
if (!only) failures.push(...matrix.missing(expectedOf(sdk.defs, transport !== "stdio")));
for (const failure of failures) console.log(`\nFAILED ${failure}`);
console.log(`\n${columns[0].passed} scenarios of an SDK client; ${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 1;
