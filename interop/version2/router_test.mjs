// Which version is chosen, and how an agent begins: our agent beside the SDK's protocol router, line
// by line; and each side's clients with the other's agents. `router_test.mjs VERSIONS_AGENT
// VERSIONS_CLIENT`; prints both tables.
import assert from "node:assert/strict";

import { ourClient, SDK_2, sdkClient } from "./peers.mjs";
import { INFO, Raw } from "./raw.mjs";

const [ourAgent, ourClientProgram] = process.argv.slice(2);
const SPEAKS = ["1", "2", "both"];
const AGENTS = {
  "SDK's router": (versions) => [...SDK_2, "router", `versions=${versions}`],
  "our agent": (versions) => [ourAgent, versions],
};
const OLD = { clientCapabilities: {} };
const NEW = { info: INFO, capabilities: {} };
const initialize = (protocolVersion, more = NEW) => [
  "initialize",
  { protocolVersion, ...more },
];
const list = ["session/list", {}];
const open = ["session/new", { cwd: "/", mcpServers: [] }];

// What a client does on one connection, and what comes of it, where version 1, version 2 or both are
// spoken. A function is what differs between the two of them, as our agent has it.
const SCRIPTS = {
  "asks for 0": { steps: [initialize(0, OLD)], comes: ["1", "-32022 0 [2]", "-32022 0 [1,2]"] },
  "asks for 1": { steps: [initialize(1, OLD)], comes: ["1", "-32022 1 [2]", "1"] },
  "asks for 2": { steps: [initialize(2)], comes: ["1", "2", "2"] },
  "asks for 3": { steps: [initialize(3)], comes: ["1", "2", "2"] },
  "asks for 65535": { steps: [initialize(65535)], comes: ["1", "2", "2"] },
  "asks for 65536": { steps: [initialize(65536)], comes: ["-32602", "-32602", "-32602"] },
  "asks for -1": { steps: [initialize(-1)], comes: ["-32602", "-32602", "-32602"] },
  "asks for 2.5": { steps: [initialize(2.5)], comes: ["-32602", "-32602", "-32602"] },
  'asks for "2"': { steps: [initialize("2")], comes: ["-32602", "-32602", "-32602"] },
  "asks for nothing": { steps: [["initialize", {}]], comes: ["-32602", "-32602", "-32602"] },
  "gives no name for 2": { steps: [initialize(2, {})], comes: ["1", "-32602", "-32602"] },
  "gives no name for 3": { steps: [initialize(3, {})], comes: ["1", "2", "2"] },
  "gives a bad name for 3": { steps: [initialize(3, { info: 7 })], comes: ["1", "2", "2"] },
  "asks something else first": {
    steps: [list, initialize(2), open],
    comes: ["-32600, 1, ok", "-32600, 2, ok", "-32600, 2, ok"],
  },
  "notifies first": {
    steps: [["session/cancel", { sessionId: "x" }, "no id"], initialize(2), open],
    comes: ["1, ok", "2, ok", "2, ok"],
  },
  "writes a batch first": {
    steps: ["[]", initialize(2)],
    comes: ["-32600 (id null), 1", "-32600 (id null), 2", "-32600 (id null), 2"],
  },
  "asks again after an error": {
    steps: [initialize("2"), initialize(2), open],
    comes: ["-32602, 1, ok", "-32602, 2, ok", "-32602, 2, ok"],
  },
  "asks for 2 again, at once": {
    steps: [initialize(2), initialize(2), initialize(65535), open],
    comes: ["1, 1, 1, ok", "2, 2, 2, ok", "2, 2, 2, ok"],
  },
  "asks for 2 again, after a session": {
    steps: [initialize(2), open, initialize(2), open],
    // The SDK's version 1 answers a second `initialize` whenever it comes.
    comes: ["1, ok, 1, ok", "2, ok, -32600, ok", "2, ok, -32600, ok"],
    ours: ["1, ok, -32600, ok"],
  },
  "asks for 2, then for 1": {
    steps: [initialize(2), initialize(1, OLD), open],
    comes: ["1, 1, ok", "2, -32600, ok", "2, -32600, ok"],
  },
  "asks for 1, then for 2": {
    steps: [initialize(1, OLD), initialize(2), open],
    // The router does not choose again, and version 1 of the SDK answers as before; ours took 1.
    comes: ["1, 1, ok", "-32022 1 [2], 2, ok", "1, 1, ok"],
    ours: ["1, -32600, ok", , "1, -32600, ok"],
  },
  "asks with the id null": {
    steps: [[...initialize(2), null], initialize(2)],
    comes: ["1 (id null), 1", "-32600 (id null), 2", "-32600 (id null), 2"],
  },
};

const shown = ({ id, result, error }) => {
  const of_nothing = id === null ? " (id null)" : "";
  if (!error) return `${result.protocolVersion ?? "ok"}${of_nothing}`;
  const { requested, supported } = error.data ?? {};
  const versions = error.code === -32022 ? ` ${requested} [${supported}]` : "";
  return `${error.code}${versions}${of_nothing}`;
};

async function play(steps, command) {
  const raw = new Raw({ program: command[0], args: command.slice(1) });
  const seen = [];
  try {
    for (const step of steps) {
      if (typeof step === "string") raw.line(step);
      else if (step[2] === "no id") raw.send({ method: step[0], params: step[1] });
      else {
        seen.push(shown(await raw.request(...step)));
        continue;
      }
      if (typeof step === "string") seen.push(shown(await raw.answer()));
    }
  } finally {
    raw.kill();
  }
  return seen.join(", ");
}

const failures = [];
const WIDTHS = [34, 14, 24, 28, 28];
const row = (...cells) =>
  console.log(cells.map((cell, i) => String(cell).padEnd(WIDTHS[i])).join(" | ").trimEnd());

row("a client", "", "speaks 1", "speaks 2", "speaks both");
for (const [name, { steps, comes, ours = [] }] of Object.entries(SCRIPTS))
  for (const [who, agent] of Object.entries(AGENTS)) {
    const seen = await Promise.all(SPEAKS.map((versions) => play(steps, agent(versions))));
    row(who === "our agent" ? "" : name, who, ...seen);
    SPEAKS.forEach((versions, i) => {
      const expected = who === "our agent" ? (ours[i] ?? comes[i]) : comes[i];
      if (seen[i] !== expected)
        failures.push(`${name}, ${who} that speaks ${versions}: ${seen[i]}, not ${expected}`);
    });
  }

// ---- clients

const NONE = "none";
console.log();
row("who asks", "whom", "speaks 1", "speaks 2", "speaks both");
for (const [version, comes] of [
  [1, [1, NONE, 1]],
  [2, [NONE, 2, 2]],
]) {
  const seen = [];
  for (const [i, versions] of SPEAKS.entries()) {
    const told = await sdkClient(version, AGENTS["our agent"](versions));
    seen.push(told.version ?? NONE);
    if (told.text !== undefined) assert.equal(told.text, "hello");
    if (version === 1 && versions === "2") {
      assert.equal(told.error.code, -32022, told.error);
      assert.deepEqual(told.error.data, { requested: 1, supported: [2] });
    }
    if (seen[i] !== comes[i]) failures.push(`SDK client ${version}, our agent ${versions}: ${seen[i]}`);
  }
  row(`SDK's client of version ${version}`, "our agent", ...seen);
}
for (const [versions, comes] of [
  ["1", [1, NONE, 1]],
  ["2", [NONE, 2, 2]],
  ["both", [1, 2, 2]],
]) {
  const seen = [];
  for (const [i, other] of SPEAKS.entries()) {
    const told = await ourClient(ourClientProgram, versions, ["hello"], AGENTS["SDK's router"](other));
    seen.push(told.version ?? NONE);
    if (versions === "1" && other === "2") assert.match(told.failed, /-32022/);
    if (versions === "2" && other === "1") assert.match(told.failed, /version 1, this client version 2/);
    if (seen[i] !== comes[i]) failures.push(`our client ${versions}, SDK's ${other}: ${seen[i]}`);
  }
  row(`our client of ${versions === "both" ? "both versions" : `version ${versions}`}`, "SDK's router", ...seen);
}

for (const failure of failures) console.log(`\nFAILED ${failure}`);
console.log(`\n${Object.keys(SCRIPTS).length} scripts: ${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 1;
