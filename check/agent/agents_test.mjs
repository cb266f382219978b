// Agents run through all of `acp check agent`: ours, which pass; one on the official SDK and a
// shipping one, whose findings are those that docs/check.md judges.
//   agents_test.mjs ACP_PROGRAM EXAMPLES_FOLDER [PART_OF_A_NAME]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { ModelServer } from "../../interop/model_server.mjs";

const acp = resolve(process.argv[2]);
const examples = resolve(process.argv[3]);
const only = process.argv[4] ?? "";
const closer = process.argv.slice(5); // more words for the kit, to look closer: --only A-INIT --frames
const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const NPM = "../../node_modules/";
const KEPT = Object.fromEntries(
  ["PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LANG"].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  ),
);

// {failed: {id: message}, skipped: {id: why}, code}
async function check(command, { prompts = {}, words = [], env = {}, timeout = 60 } = {}) {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "acp-agents-")));
  try {
    const results = join(place, "results.json");
    const says = Object.entries(prompts).flatMap(([kind, text]) => ["--prompt", `${kind}=${text}`]);
    words = [...closer, ...words];
    const child = spawn(
      acp,
      ["check", "agent", "--json", results, "--timeout", String(timeout), ...says, ...words, "--", ...command],
      { cwd: place, env: { ...KEPT, HOME: place, ...env }, stdio: ["ignore", "pipe", "pipe"] },
    );
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
        if (closer.length > 0) process.stderr.write(text);
      });
    const code = await new Promise((done) => child.on("close", done));
    assert.ok(code === 0 || code === 1, `exit code ${code}\n${output}`);
    const { results: all } = JSON.parse(readFileSync(results, "utf8"));
    const of = (status) =>
      Object.fromEntries(
        all.filter((one) => one.status === status).map(({ id, message }) => [id, message]),
      );
    return { failed: of("fail"), skipped: of("skip"), passed: of("pass"), code };
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

// What claude-code-acp's model says: what the default prompts of the kit ask for.
function claudeModel({ body }) {
  if (!body.tools?.length) return { text: "none" };
  const last = body.messages.at(-1);
  const blocks = typeof last.content === "string" ? [{ type: "text", text: last.content }] : last.content;
  if (blocks.some(({ type }) => type === "tool_result")) return { text: "Done." };
  // What was asked last: an interrupted question stands before it in the same message.
  const texts = blocks.flatMap(({ type, text }) => (type === "text" ? [text] : []));
  const said = texts.findLast((text) => /^(say|show|create|run|plan|wait) /.test(text)) ?? "";
  const cwd = /Working directory: (\S+)/.exec(JSON.stringify(body.system))?.[1].replace(/\\n.*/, "") ?? "/tmp";
  const use = (name, args) => ({ toolCalls: [{ name, arguments: args }] });
  const made = /create (\S+) with/.exec(said);
  if (made) return use("mcp__acp__Write", { file_path: join(cwd, made[1]), content: "hello\n" });
  if (said.includes("show notes.txt")) return use("mcp__acp__Read", { file_path: join(cwd, "notes.txt") });
  const touched = /run (touch \S+)/.exec(said);
  if (touched) return use("mcp__acp__Bash", { command: touched[1], timeout: 60000 });
  if (said.includes("run echo")) return use("mcp__acp__Bash", { command: "echo acp-check", timeout: 60000 });
  if (said.includes("plan read"))
    return use("TodoWrite", {
      todos: ["read the notes", "change them"].map((content) => ({
        ...{ content, status: "pending", activeForm: content },
      })),
    });
  if (said.includes("wait 30")) return { text: "Waiting for a while.", hangAfter: 900 };
  return { text: "Hello." };
}

const ECHO_PROMPTS = {
  ...{ read: "read {cwd}/notes.txt", write: "write {cwd}/{file} hello" },
  ...{ run: "run echo acp-check", plan: "plan", slow: "wait" },
};

const WORKER_PROMPTS = {
  ...{ read: "read {cwd}/notes.txt", write: "write {cwd}/{file} hello" },
  ...{ run: "run echo acp-check", touch: "run touch {file}", slow: "run sleep 30", sleep: "run sleep 30" },
};

const SECOND = ["--protocol", "2"];

const AGENTS = {
  async "acp agent"() {
    return check([acp, "agent", "--model", "offline"]);
  },
  async "acp agent, version 2"() {
    return check([acp, "agent", "--model", "offline", "--protocol", "2"], { words: SECOND });
  },
  async "echo_agent, version 2"() {
    const env = { ACP_V2: "1" };
    const prompts = { ...ECHO_PROMPTS, sleep: "run sleep 30" };
    return check([join(examples, "echo_agent")], { prompts, env, words: SECOND });
  },
  async "worker_agent"() {
    return check([join(examples, "worker_agent")], { prompts: WORKER_PROMPTS });
  },
  async "worker_agent, version 2"() {
    const env = { ACP_V2: "1" };
    return check([join(examples, "worker_agent")], { prompts: WORKER_PROMPTS, env, words: SECOND });
  },
  async "sdk_agent, version 2"() {
    const prompts = {
      ...{ read: "tool", write: "permission {file}", run: "terminal", touch: "permission {file}" },
      ...{ plan: "plan", slow: "wait", sleep: "wait" },
    };
    const command = [process.execPath, file("../../interop/version2/sdk_agent.mjs"), "login"];
    return check(command, { prompts, words: ["--auth", "password", ...SECOND], timeout: 20 });
  },
  async "hello_agent"() {
    return check([join(examples, "hello_agent")]);
  },
  async "echo_agent"() {
    return check([join(examples, "echo_agent")], { prompts: ECHO_PROMPTS });
  },
  async "policy_proxy"() {
    const command = [join(examples, "policy_proxy"), "echo", join(examples, "echo_agent")];
    return check(command, { prompts: ECHO_PROMPTS });
  },
  async "tools_agent"() {
    const path = "{cwd}/notes.txt";
    const prompts = { hello: path, read: path, write: "{cwd}/{file}", run: path, touch: path, plan: path, slow: path };
    return check([join(examples, "tools_agent")], { prompts });
  },
  async "plain_agent"() {
    const path = "{cwd}/notes.txt";
    const prompts = { read: path, run: path, slow: path };
    return check([join(examples, "plain_agent")], { prompts });
  },
  async "notebook_agent"() {
    const sessions = mkdtempSync(join(tmpdir(), "acp-notebook-"));
    const prompts = { read: "find notes.txt a", write: "add {file} hello", plan: "find notes.txt a", slow: "hello" };
    try {
      return await check([join(examples, "notebook_agent"), sessions], { prompts });
    } finally {
      rmSync(sessions, { recursive: true });
    }
  },
  async "sdk_agent"() {
    const prompts = {
      ...{ read: "read {cwd}/notes.txt", write: "edit {cwd}/{file} hello", run: "terminal echo acp-check" },
      ...{ touch: "terminal touch {file}", plan: "updates", slow: "wait" },
    };
    const words = ["--auth", "password"];
    const command = [process.execPath, file("../../interop/sdk_agent.mjs"), "require-login"];
    return check(command, { prompts, words, timeout: 20 });
  },
  async "claude-code-acp"() {
    const model = await ModelServer.start();
    model.script(claudeModel);
    const env = {
      ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "x", IS_SANDBOX: "1" },
      ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
    };
    try {
      const command = [process.execPath, file(NPM + "@zed-industries/claude-code-acp/dist/index.js")];
      return await check(command, { env, timeout: 20 });
    } finally {
      await model.stop();
    }
  },
};

// Each is judged in docs/check.md, under the agent's name. A `?`: only where the machine is quick or
// slow enough.
const EXPECTED = {
  "acp agent": "",
  "acp agent, version 2": "",
  "echo_agent, version 2": "",
  worker_agent: "",
  "worker_agent, version 2": "",
  "sdk_agent, version 2":
    "A-ID-3 A2-CANCEL-11? A2-CANCEL-15? A2-CLOSE-2 A2-CLOSE-3 A2-CLOSE-4 A2-CLOSE-5 A2-CONFIG-5 A2-LIST-5 A2-MCP-1 " +
    "A2-MCP-5 A2-PATH-2 A2-PERM-15 A2-RESUME-4 A2-RESUME-8 A2-SESSION-2 A2-TURN-13",
  hello_agent: "",
  echo_agent: "",
  policy_proxy: "",
  tools_agent: "",
  plain_agent: "",
  notebook_agent: "",
  sdk_agent:
    "A-CANCEL-14 A-CAP-1 A-CAP-5 A-CLOSE-2 A-DELETE-3 A-ID-3 A-LIST-5 A-MCP-1 A-MCP-5 " +
    "A-MCP-6 A-ORDER-2 A-ORDER-9 A-PATH-3 A-PERM-10 A-SESSION-2 A-STOP-1 A-TERM-4",
  "claude-code-acp":
    "A-CANCEL-11? A-EXIT-1 A-EXIT-3 A-ID-3 A-INIT-9 A-INPUT-1 A-INPUT-3 A-INPUT-4 A-INPUT-5 " +
    "A-INPUT-6 A-LIST-5 A-LOAD-1? A-ORDER-9 A-PATH-4 A-SCHEMA-4",
};

// What the kit finds nothing to look at for in our agents: no more of it may be left out unseen.
const SKIPPED = {
  "acp agent": "A-AUTH-1 A-AUTH-3 A-AUTH-4 A-AUTH-5 A-LIST-4 A-TURN-4 A-TURN-5",
  "acp agent, version 2":
    "A2-AUTH-* A2-LIST-4 A2-STATE-2 A2-TERM-1 A2-TERM-3 A2-TERM-4 A2-TERM-5 A2-TURN-10 A2-TURN-11",
  // It asks for nothing, and its conversations are not kept; it has the calls and terminals.
  "worker_agent, version 2":
    "A-ID-6 A2-AUTH-* A2-CANCEL-13 A2-CANCEL-18 A2-CANCEL-19 A2-COMMAND-* A2-CONFIG-* A2-DELETE-* A2-DIFF-* " +
    "A2-LIST-4 A2-PATH-1 A2-PERM-* A2-PLAN-1 A2-RESUME-* A2-SESSION-7 A2-STATE-2 A2-TURN-*",
};

let wrong = 0;
async function judge([name, run]) {
  const began = performance.now();
  const { failed, skipped, passed } = await run();
  const found = Object.keys(failed).sort();
  const expected = EXPECTED[name].split(" ").filter(Boolean);
  const left = Object.keys(skipped).sort();
  const maySkip = SKIPPED[name]?.split(" ") ?? ["*"];
  const matches = (id) => (word) => (word.endsWith("*") ? id.startsWith(word.slice(0, -1)) : id === word);
  const more = left.filter((id) => !maySkip.some(matches(id)));
  const same =
    more.length === 0 &&
    found.every((id) => expected.includes(id) || expected.includes(`${id}?`)) &&
    expected.every((id) => id.endsWith("?") || found.includes(id));
  if (!same) ++wrong;
  console.log(
    `${same ? "ok   " : "WRONG"} ${name}: ${Object.keys(passed).length} passed, ` +
      `${Object.keys(skipped).length} skipped, failed: ${found.join(" ") || "none"} ` +
      `(${((performance.now() - began) / 1000).toFixed(1)} s)`,
  );
  if (!same) {
    console.log(`  expected: ${expected.join(" ") || "none"}`);
    for (const [id, message] of Object.entries(failed)) console.log(`  ${id}: ${message}`);
    for (const id of more) console.log(`  skipped: ${id}: ${skipped[id]}`);
  }
}

// Side by side: those that take long mostly wait for what does not come.
await Promise.all(Object.entries(AGENTS).filter(([name]) => name.includes(only)).map(judge));
process.exit(wrong ? 1 : 0);
