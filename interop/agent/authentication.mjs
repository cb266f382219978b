// Keys: missing, given, taken away, and never shown.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";

import { fails, within } from "../deadline.mjs";
import { ALL } from "./editor.mjs";
import { KEYS } from "./place.mjs";

const KEYLESS = { environment: { ANTHROPIC_API_KEY: undefined, OPENAI_API_KEY: undefined } };
const PASSED = { apis: ["anthropic"] }; // a local server of OpenAI's format may need no key

export const scenarios = [
  {
    name: "no key: -32000 for new, load, resume and fork; authenticate fails until it is there",
    ...PASSED,
    async play(stage) {
      const before = await stage.begin();
      await stage.play(before, "Hello", [{ text: "Hi." }]);
      const { sessionId } = before;
      await before.end();

      const editor = await stage.start(KEYLESS);
      const { authMethods } = editor.initialized;
      assert.ok(authMethods.length > 0, "what is missing is listed");
      for (const { id, name } of authMethods) assert.ok(id && name);
      const params = { cwd: stage.place.project, mcpServers: [] };
      await fails(editor.request("session/new", params), -32000);
      for (const method of ["session/load", "session/resume", "session/fork"])
        await fails(editor.request(method, { ...params, sessionId }), -32000);
      const [{ id }] = authMethods.filter(({ type }) => type !== "terminal");
      await fails(editor.request("authenticate", { methodId: id }), -32000);
      await fails(editor.request("authenticate", { methodId: "no-such-method" }), -32602);
      await fails(editor.request("session/new", params), -32000);
    },
  },
  {
    name: "a key is there: authenticate succeeds",
    ...PASSED,
    async play(stage) {
      const editor = await stage.start();
      const { authMethods } = editor.initialized;
      assert.deepEqual(
        authMethods.map(({ id }) => id),
        ["anthropic-key"],
        "listed, though the key is there",
      );
      await editor.request("authenticate", { methodId: "anthropic-key" });
      await editor.newSession();
    },
  },
  {
    name: "logout removes a stored key",
    apis: ["anthropic", "openai"],
    async play(stage) {
      stage.keyMayBeStored = true;
      stage.place.configure("keys.toml", `${stage.api} = "${KEYS[stage.api]}"\n`);
      const editor = await stage.start(KEYLESS);
      assert.ok(editor.initialized.agentCapabilities.auth.logout);
      await editor.request("logout", {});
      const stored = stage.place.files("home").filter(({ path }) => path.endsWith("keys.toml"));
      for (const { bytes } of stored) assert.ok(!bytes.includes(KEYS[stage.api]));
    },
  },
  {
    name: "logout: a key of the environment is not used again on this connection",
    ...PASSED,
    async play(stage) {
      const editor = await stage.begin();
      await stage.play(editor, "Hello", [{ text: "Hi." }]);
      const { authMethods, agentCapabilities } = editor.initialized;
      assert.ok(agentCapabilities.auth.logout);
      await editor.request("logout", {});
      await fails(editor.prompt("Still there?"), -32000);
      await fails(editor.request("session/new", { cwd: stage.place.project, mcpServers: [] }), -32000);
      await fails(editor.request("authenticate", { methodId: authMethods[0].id }), -32000);
      assert.equal(stage.requests.length, 1, "the model was not asked again");
      // It is another's decision whether that key goes on.
      await stage.play(await stage.begin(), "Hello", [{ text: "Hi." }]);
    },
  },
  {
    name: "logout: one of the environment gives way to a key that is stored",
    ...PASSED,
    async play(stage) {
      const editor = await stage.begin();
      await editor.request("logout", {});
      stage.keyMayBeStored = true;
      stage.place.configure("keys.toml", `anthropic = "sk-ant-another"\n`);
      await editor.request("authenticate", { methodId: editor.initialized.authMethods[0].id });
      await stage.play(editor, "Hello", [{ text: "Hi." }]);
      const { headers } = stage.lastRequest;
      assert.ok(JSON.stringify(headers).includes("sk-ant-another"));
      assert.ok(!JSON.stringify(headers).includes(KEYS.anthropic));
    },
  },
  {
    name: "a key that the provider rejects: -32000 with the methods to log in, then another key",
    ...PASSED,
    async play(stage) {
      stage.keyMayBeStored = true;
      stage.place.configure("keys.toml", `anthropic = "sk-ant-worn-out"\n`);
      const editor = await stage.begin(KEYLESS);
      const { authMethods } = editor.initialized;
      for (const status of [401, 403]) {
        stage.script([{ status, message: "the key sk-ant-worn-out has expired" }]);
        const error = await fails(editor.prompt("Hello"), -32000);
        assert.deepEqual(
          error.data.authMethods.filter(({ type }) => type !== "terminal"),
          authMethods,
        );
        assert.match(error.message, new RegExp(`anthropic.*key.*${status}`));
        assert.doesNotMatch(error.message, /worn-out|expired/);
      }
      stage.place.configure("keys.toml", `anthropic = "${KEYS.anthropic}"\n`);
      await editor.request("authenticate", { methodId: authMethods[0].id });
      const { stopReason } = await stage.play(editor, "Hello", [{ text: "Hi." }]);
      assert.equal(stopReason, "end_turn");
      assert.ok(JSON.stringify(stage.lastRequest.headers).includes(KEYS.anthropic));
    },
  },
  {
    name: "terminal methods only for a client that can; no terminal method for another",
    ...PASSED,
    async play(stage) {
      const without = await stage.start(KEYLESS);
      assert.ok(without.initialized.authMethods.every(({ type }) => type !== "terminal"));
      const capabilities = { ...ALL, auth: { terminal: true } };
      const editor = await stage.start({ ...KEYLESS, capabilities });
      assert.ok(editor.initialized.authMethods.some(({ type }) => type === "terminal"));
    },
  },
  {
    name: "a terminal method stores a key, for its owner alone; logout removes it",
    ...PASSED,
    async play(stage) {
      stage.keyMayBeStored = true;
      const capabilities = { ...ALL, auth: { terminal: true } };
      const editor = await stage.start({ ...KEYLESS, capabilities });
      const params = { cwd: stage.place.project, mcpServers: [] };
      await fails(editor.request("session/new", params), -32000);
      const { authMethods, agentCapabilities } = editor.initialized;
      const method = authMethods.find(({ type }) => type === "terminal");
      // As the client runs it: the agent's own line and what the method adds.
      const child = spawn(stage.program, [...stage.arguments(), ...(method.args ?? [])], {
        env: { ...stage.environment(KEYLESS.environment), ...method.env },
        stdio: ["pipe", "pipe", "pipe"],
      });
      let shown = "";
      for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (text) => (shown += text));
      child.stdin.end(`${KEYS.anthropic}\n`);
      const [code] = await within(once(child, "close"), "the end of the terminal's method");
      assert.equal(code, 0, shown);
      assert.ok(!shown.includes(KEYS.anthropic), "the key was shown");
      const holders = () =>
        stage.place.files("home").filter(({ bytes }) => bytes.includes(KEYS.anthropic));
      assert.ok(holders().length > 0, "the key is stored");
      for (const { path, mode } of holders()) assert.equal(mode, 0o600, path);

      // The agent that runs takes it when it is told to.
      const other = authMethods.find(({ type }) => type !== "terminal");
      if (other) await editor.request("authenticate", { methodId: other.id });
      await editor.newSession();
      await stage.play(editor, "Hello", [{ text: "Hi." }]);
      const { headers } = stage.lastRequest;
      assert.ok(JSON.stringify(headers).includes(KEYS.anthropic));
      assert.ok(agentCapabilities.auth.logout, "logout is advertised");
      await editor.request("logout", {});
      assert.deepEqual(holders(), []);
      await fails(editor.request("session/new", params), -32000);
    },
  },
];
