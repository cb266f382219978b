// `acp run` with agents that others wrote: one on the official SDK, and claude-code-acp, a shipping
// one, with the model server of the tests behind it. `run_test.mjs ACP_PROGRAM [PART_OF_A_NAME]`
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { ModelServer } from "./model_server.mjs";

const program = resolve(process.argv[2]);
const only = process.argv[3] ?? "";
const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const SDK_AGENT = [process.execPath, file("sdk_agent.mjs")];
const SDK_AGENT_2 = [process.execPath, file("version2/sdk_agent.mjs")];
const VERSION_2 = ["--protocol", "2"];
const CLAUDE = [
  process.execPath,
  file("../node_modules/@zed-industries/claude-code-acp/dist/index.js"),
];
const KEPT = Object.fromEntries(
  ["PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LANG"].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  ),
);

class Place {
  constructor() {
    this.path = realpathSync(mkdtempSync(join(tmpdir(), "acp-run-")));
  }
  // The words before `--`, then the agent. `kill` is sent once the output has what it waits for.
  async run(words, agent, { env = {}, interruptAfter } = {}) {
    const child = spawn(program, ["run", "--timeout", "120", ...words, "--", ...agent], {
      cwd: this.path,
      env: { ...KEPT, HOME: this.path, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => {
      const before = stdout;
      stdout += text;
      if (!interruptAfter || before.includes(interruptAfter)) return;
      if (stdout.includes(interruptAfter)) child.kill("SIGINT");
    });
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    const code = await new Promise((done) => child.on("close", done));
    return { code, stdout, stderr };
  }
  // With --json, everything about its form checked.
  async events(words, agent, how) {
    const { code, stdout, stderr } = await this.run(["--json", ...words], agent, how);
    assert.ok(stdout.endsWith("\n"), stderr);
    const events = stdout.split("\n").slice(0, -1).map((line) => JSON.parse(line));
    const last = events.at(-1);
    assert.deepEqual(
      events.filter(({ event }) => event === "stop" || event === "error"),
      [last],
    );
    assert.equal(last.exitCode, code);
    const updates = events.flatMap(({ event, update }) => (event === "update" ? [update] : []));
    const input = updates.map((update) => JSON.stringify(update)).join("\n");
    if (updates.length > 0) {
      const checked = spawnSync(program, ["schema", "check", "SessionUpdate"], { input });
      assert.equal(checked.status, 0, `${checked.stdout}`);
    }
    const said = updates
      .flatMap(({ sessionUpdate, content }) =>
        sessionUpdate === "agent_message_chunk" ? [content.text ?? ""] : [],
      )
      .join("");
    return { code, events, updates, said, last };
  }
  remove() {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

const ofKind = (events, kind) => events.filter(({ event }) => event === kind);

// A turn of claude-code-acp whose model says what `answers` tell. It also asks for other things than
// the turn (titles, quotas), which have no tools.
async function claude(place, words, answers) {
  const model = await ModelServer.start();
  let next = 0;
  model.script(({ body }) => (body.tools?.length ? answers[next++] : { text: "none" }));
  const env = {
    ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "x", IS_SANDBOX: "1" },
    ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
  };
  try {
    return await place.events(words, CLAUDE, { env });
  } finally {
    await model.stop();
  }
}

const scenarios = {
  async "sdk: text, and every update"(place) {
    const { stdout, code } = await place.run(["Hello there"], SDK_AGENT);
    assert.deepEqual({ stdout, code }, { stdout: "Hello there\n", code: 0 });
    const kinds = new Set();
    for (const word of ["updates", "content"])
      for (const update of (await place.events([word], SDK_AGENT)).updates)
        kinds.add(update.sessionUpdate);
    const { updates } = await place.events(["unstable"], [...SDK_AGENT, "unstable"]);
    for (const { sessionUpdate } of updates) kinds.add(sessionUpdate);
    assert.ok(kinds.size >= 15, [...kinds].join());
  },
  async "sdk: permission"(place) {
    const denied = await place.events(["permission"], SDK_AGENT);
    assert.deepEqual([denied.code, denied.said], [4, "reject_once"]);
    const allowed = await place.events(["--policy", "allow", "permission"], SDK_AGENT);
    assert.deepEqual([allowed.code, allowed.said], [0, "allow_once"]);
    assert.equal(ofKind(allowed.events, "permission")[0].by, "policy");
  },
  async "sdk: files and terminals"(place) {
    const path = join(place.path, "a.txt");
    const allow = ["--policy", "allow"];
    const refused = await place.events([`write ${path} one`], SDK_AGENT);
    assert.match(refused.said, /^failed -32003 /);
    assert.equal(refused.code, 4);
    assert.equal((await place.events([...allow, `write ${path} one`], SDK_AGENT)).said, "written");
    assert.equal(readFileSync(path, "utf8"), "one");
    writeFileSync(path, "one\ntwo\nthree\n");
    assert.match((await place.events([`read ${path} 2 1`], SDK_AGENT)).said, /^two\n?$/);
    const missing = await place.events([`read ${join(place.path, "none")}`], SDK_AGENT);
    assert.match(missing.said, /^failed -32002 /);
    const { said, events } = await place.events([...allow, "terminal echo one && echo two"], SDK_AGENT);
    assert.equal(said, "one\ntwo\n[0]");
    assert.match(ofKind(events, "terminal").map(({ output }) => output).join(""), /one\s+two/);
  },
  async "sdk: the workspace, every parameter; a thousand terminals; a bounded fork bomb"(place) {
    for (const part of ["files", "terminals", "thousand", "bomb"]) {
      const { said, code } =
        await place.events(["--policy", "allow", part], [process.execPath, file("workspace_agent.mjs")]);
      assert.match(said, new RegExp(`^${part}: all well: \\d+ checks$`));
      assert.equal(code, 0);
    }
  },
  async "sdk: questions are declined; stop reasons; errors"(place) {
    const asked = await place.events(["elicit"], SDK_AGENT);
    assert.equal(asked.said, "decline");
    assert.equal(ofKind(asked.events, "elicitation").length, 1);
    for (const [reason, code] of [["max_tokens", 5], ["max_turn_requests", 5], ["refusal", 6]])
      assert.equal((await place.events([`stop ${reason}`], SDK_AGENT)).code, code);
    const failed = await place.events(["error -32050"], SDK_AGENT);
    assert.deepEqual([failed.code, failed.last.code, failed.last.phase], [1, -32050, "prompt"]);
  },
  async "sdk: login"(place) {
    const agent = [...SDK_AGENT, "require-login"];
    const wanted = await place.events(["Hello"], agent);
    assert.deepEqual([wanted.code, wanted.last.authMethods[0].id], [7, "password"]);
    const { code, said } = await place.events(["--auth", "password", "Hello"], agent);
    assert.deepEqual([code, said], [0, "Hello"]);
  },
  async "sdk: modes, options, sessions"(place) {
    const words = ["--mode", "code", "--model", "large", "--set", "verbose=true", "Hello"];
    assert.equal((await place.events(words, SDK_AGENT)).code, 0);
    assert.equal((await place.events(["--mode", "wild", "Hello"], SDK_AGENT)).code, 2);
    // It keeps its sessions in memory, which is gone.
    const gone = await place.events(["--session", "last", "Hello"], SDK_AGENT);
    assert.deepEqual([gone.code, gone.last.phase, gone.said], [8, "session", ""]);
  },
  async "sdk: SIGINT cancels the turn"(place) {
    const { code, last } = await place.events(["wait"], SDK_AGENT, { interruptAfter: "waiting" });
    assert.deepEqual([code, last.stopReason], [130, "cancelled"]);
  },
  async "sdk, version 2: text, and every update"(place) {
    const { stdout, code } = await place.run([...VERSION_2, "Hello there"], SDK_AGENT_2);
    assert.deepEqual({ stdout, code }, { stdout: "Hello there\n", code: 0 });
    const kinds = new Set();
    for (const word of ["updates", "content"])
      for (const update of (await place.events([...VERSION_2, word], SDK_AGENT_2)).updates)
        kinds.add(update.sessionUpdate);
    assert.ok(kinds.size >= 12, [...kinds].join());
  },
  async "sdk, version 2: permission"(place) {
    const denied = await place.events([...VERSION_2, "permission-all"], SDK_AGENT_2);
    assert.deepEqual([denied.code, denied.said], [4, "reject_once"]);
    const words = [...VERSION_2, "--policy", "allow", "permission-all"];
    const allowed = await place.events(words, SDK_AGENT_2);
    assert.deepEqual([allowed.code, allowed.said], [0, "allow_once"]);
  },
  async "sdk, version 2: a failed turn; SIGINT cancels; version 1 alone is refused"(place) {
    const failed = await place.events([...VERSION_2, "throw"], SDK_AGENT_2);
    assert.deepEqual([failed.code, failed.last.phase], [1, "prompt"]);
    const { code, last } = await place.events([...VERSION_2, "stream"], SDK_AGENT_2, {
      interruptAfter: "again",
    });
    assert.deepEqual([code, last.stopReason], [130, "cancelled"]);
    const refused = await place.events(["Hello"], SDK_AGENT_2);
    assert.equal(refused.code, 3);
    assert.match(refused.last.message, /version/);
  },
  async "claude-code-acp: a turn"(place) {
    const { code, said, last } = await claude(place, ["Say hello"], [{ text: "Hello from here." }]);
    assert.deepEqual([code, said, last.stopReason], [0, "Hello from here.", "end_turn"]);
  },
  async "claude-code-acp: a file and a command, permitted"(place) {
    const path = join(place.path, "notes.txt");
    const { code, events, said } = await claude(
      place,
      ["--policy", "allow", "Write and run"],
      [
        { toolCalls: [{ name: "mcp__acp__Write", arguments: { file_path: path, content: "one\n" } }] },
        { toolCalls: [{ name: "mcp__acp__Bash", arguments: { command: "cat notes.txt; echo two", timeout: 60000 } }] },
        { text: "Done." },
      ],
    );
    assert.equal(readFileSync(path, "utf8"), "one\n");
    assert.match(ofKind(events, "terminal").map(({ output }) => output).join(""), /one\s+two/);
    assert.ok(ofKind(events, "permission").every(({ allowed, by }) => allowed && by === "policy"));
    assert.deepEqual([code, said.endsWith("Done.")], [0, true]);
  },
  async "claude-code-acp: a permission that nobody gives"(place) {
    const path = join(place.path, "notes.txt");
    const { code, events } = await claude(
      place,
      ["Write"],
      [
        { toolCalls: [{ name: "mcp__acp__Write", arguments: { file_path: path, content: "x" } }] },
        { text: "I may not." },
      ],
    );
    assert.deepEqual([code, existsSync(path)], [4, false]);
    assert.equal(ofKind(events, "permission")[0].by, "nobody");
  },
  async "claude-code-acp: the last session is gone on with"(place) {
    const first = await claude(place, ["One"], [{ text: "First." }]);
    const again = await claude(place, ["--session", "last", "Two"], [{ text: "Second." }]);
    const opened = ({ events }) => events.find(({ phase }) => phase === "session");
    assert.equal(opened(again).sessionId, opened(first).sessionId);
    assert.equal(opened(again).method, "session/resume");
    assert.deepEqual([again.code, again.said], [0, "Second."]);
  },
};

let failures = 0;
const chosen = Object.entries(scenarios).filter(([name]) => name.includes(only));
for (const [name, play] of chosen) {
  const place = new Place();
  try {
    await play(place);
    console.log(`ok      ${name}`);
  } catch (error) {
    ++failures;
    console.log(`FAILED  ${name}\n${error.stack}`);
  } finally {
    place.remove();
  }
}
console.log(`${chosen.length - failures} passed, ${failures} failed`);
process.exitCode = failures === 0 && chosen.length > 0 ? 0 : 1;
