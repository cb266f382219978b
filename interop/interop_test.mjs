// Both ways: a client on the official SDK with our agent, and our client with an agent on the SDK.
// `interop_test.mjs ECHO_AGENT INTEROP_CLIENT`; prints what was seen of every method.
import { Sdk } from "../acp/schema/agreement/sdk.mjs";
import { runAgainstOurAgent } from "./agent_column.mjs";
import { runOurClient } from "./client_column.mjs";
import { expectedOf } from "./expected.mjs";
import { COLUMNS, Matrix, rowsOf } from "./matrix.mjs";
import { problemsOf } from "./rules.mjs";

const [agent, client, only] = process.argv.slice(2);
const sdk = await Sdk.load("v1", true);

const columns = [
  await runAgainstOurAgent(agent, only),
  await runOurClient(client, only ? [`--gtest_filter=*${only}*`] : []),
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
if (!only) failures.push(...matrix.missing(expectedOf(sdk.defs)));
for (const failure of failures) console.log(`\nFAILED ${failure}`);
console.log(`\n${columns[0].passed} scenarios of an SDK client; ${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 1;
