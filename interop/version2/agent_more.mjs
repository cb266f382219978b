// More scenarios of a version 2 client on the SDK with our agent: a whole turn over any transport,
// errors, pages, what only version 2 has, and lines that no SDK's client writes.
import assert from "node:assert/strict";

import { fails } from "../deadline.mjs";
import { CWD, textOf } from "../sdk_client.mjs";
import { INFO } from "./raw.mjs";

const BLOCKS = [
  { type: "text", text: "look at " },
  { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
  { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
  { type: "resource_link", name: "a.txt", uri: "file:///project/a.txt" },
  { type: "resource", resource: { uri: "file:///project/a.txt", text: "inside" } },
  { type: "resource", resource: { uri: "file:///project/a.bin", blob: "AAEC" } },
  { type: "text", text: "these, ünd 🦊 that" },
];
const choose = (kind) => ({ options }) => {
  const { optionId } = options.find((option) => option.kind === kind);
  return { outcome: { outcome: "selected", optionId } };
};

export const scenarios = [
  {
    name: "a whole turn",
    whole: true,
    async run(editor) {
      const { configOptions } = await editor.newSession();
      editor.answers.permission = choose("allow_once");
      editor.answers.elicitation = () => ({ action: "accept", content: { name: "Ada" } });
      for (const [prompt, text] of Object.entries({
        "say it": "it",
        permission: "allowed allow_once",
        elicit: "accepted Ada",
      }))
        assert.equal((await editor.turn(prompt)).text, text);
      const { updates } = await editor.turn("updates");
      assert.ok(updates.length > 12);
      for (const { configId, options } of configOptions.filter(({ type }) => type === "select")) {
        const changed = { configId, type: "id", value: options.at(-1).value };
        await editor.request("session/set_config_option", { sessionId: editor.sessionId, ...changed });
      }
      const since = editor.mark();
      await editor.prompt("stream 100000000");
      await editor.update((u) => u.sessionUpdate === "agent_message_chunk", "a chunk", since);
      await editor.cancel();
      assert.equal((await editor.idle(since)).stopReason, "cancelled");
      await editor.request("session/close", { sessionId: editor.sessionId });
      const again = editor.mark();
      const replayFrom = { type: "start" };
      const { sessionId } = editor;
      await editor.request("session/resume", { sessionId, cwd: CWD, replayFrom });
      assert.match(textOf(editor.updatesSince(again)), /it/);
      assert.equal((await editor.turn("goes on")).text, "goes on");
    },
  },
  {
    name: "content of every kind in a prompt, and in its echo",
    async run(editor) {
      await editor.newSession();
      const turn = await editor.turn(BLOCKS);
      assert.equal(turn.text, "look at these, ünd 🦊 that");
      assert.deepEqual(turn.updates[0].content, BLOCKS);
    },
  },
  {
    name: "what only version 2 has: whole messages, pieces, terminals, background, every diff",
    async run(editor) {
      await editor.newSession();
      const { updates, text } = await editor.turn("version2");
      assert.equal(text, "");
      const whole = updates.filter(({ content }) => Array.isArray(content)).slice(1);
      assert.deepEqual(
        whole.map(({ sessionUpdate }) => sessionUpdate),
        ["user_message", "agent_thought", "agent_message"],
      );
      const chunks = updates.filter((u) => u.sessionUpdate === "tool_call_content_chunk");
      assert.deepEqual(
        chunks.map(({ content }) => content.type),
        ["content", "diff", "terminal"],
      );
      const states = updates.filter((u) => u.sessionUpdate === "state_update");
      assert.deepEqual(
        states.map(({ state }) => state),
        ["running", "running", "requires_action", "running", "idle"],
      );
      editor.answers.permission = (params) => {
        assert.deepEqual(params.subject, { type: "command", command: "make", cwd: "/tmp" });
        return { outcome: { outcome: "selected", optionId: "yes" } };
      };
      assert.equal((await editor.turn("permission-command")).text, "chosen yes");
    },
  },
  {
    name: "the user's answers: accepted, declined, cancelled; a page is completed",
    async run(editor) {
      await editor.newSession();
      const told = async (prompt, answer) => {
        editor.answers.elicitation = () => answer;
        return (await editor.turn(prompt)).text;
      };
      const accepted = { action: "accept", content: { name: "Ada" } };
      assert.equal(await told("elicit", accepted), "accepted Ada");
      const since = editor.mark();
      assert.equal(await told("elicit-url", { action: "accept" }), "accepted");
      const complete = await editor.transcript.asked("elicitation/complete", since);
      assert.equal(complete.message.params.elicitationId, "elicit_1");
      for (const word of ["elicit", "elicit-url"])
        for (const [action, text] of [["decline", "declined"], ["cancel", "cancelled"]])
          assert.equal(await told(word, { action }), text);
      editor.answers.permission = () => ({ outcome: { outcome: "cancelled" } });
      await editor.turn("permission");
    },
  },
  {
    name: "session/list: in pages, by cwd",
    async run(editor) {
      const ids = [];
      for (let i = 0; i < 5; ++i) ids.push((await editor.newSession()).sessionId);
      await editor.newSession({ cwd: "/project/elsewhere" });
      const seen = [];
      let cursor;
      do {
        const page = await editor.request("session/list", { cwd: CWD, cursor });
        seen.push(...page.sessions.map(({ sessionId }) => sessionId));
        cursor = page.nextCursor;
      } while (cursor != null);
      assert.deepEqual(seen.toSorted(), ids.toSorted());
    },
  },
  {
    name: "errors: unknown sessions are named, bad params have a path",
    async run(editor) {
      const sessionId = "nowhere";
      const option = { sessionId, configId: "mode", type: "id", value: "ask" };
      const requests = {
        "session/prompt": { sessionId, prompt: [{ type: "text", text: "x" }] },
        "session/resume": { sessionId, cwd: CWD },
        "session/set_config_option": option,
      };
      for (const [method, params] of Object.entries(requests)) {
        const error = await fails(editor.request(method, params), -32002);
        assert.deepEqual(error.data, { sessionId }, method);
      }
      const path = async (more) =>
        (await fails(editor.request("session/new", { cwd: CWD, ...more }), -32602)).data.path;
      assert.equal(await path({ cwd: "project" }), "params.cwd");
      assert.match(await path({ mcpServers: [{ type: "stdio" }] }), /^params\.mcpServers\[0\]/);
      const web = { type: "http", name: "web", url: "http://127.0.0.1:9/mcp" };
      await editor.newSession({ mcpServers: [web] });
      assert.match((await editor.turn("servers")).text, /web: not connected: ./);
    },
  },
  {
    name: "errors: what a handler throws stays inside; what it means to say arrives whole",
    async run(editor) {
      await editor.newSession();
      const custom = await fails(editor.request("_echo/fail", {}), -31007);
      assert.deepEqual(custom.data, { deep: [1, null, "x"] });
      const inner = await fails(editor.request("_echo/throw", {}), -32603);
      assert.ok(!JSON.stringify([inner.message, inner.data]).includes("secret"));
      assert.equal((await fails(editor.request("_no/such", {}), -32601)).data.method, "_no/such");
      await editor.notify("_no/such", {});
      const since = editor.mark();
      await editor.notify("_echo/note", { n: [1] });
      const noted = await editor.transcript.asked("_echo/noted", since);
      assert.deepEqual(noted.message.params, { n: [1] });
      // The client's errors, as the agent gets them.
      for (const [method, code] of [["fail", -31007], ["throw", -32603], ["none", -32601]]) {
        const { text } = await editor.turn(`try ext _client/${method} {}`);
        assert.ok(text.startsWith(`failed ${code} `), text);
      }
      assert.equal((await editor.turn('ext-notify _client/note {"n":1}')).stopReason, "end_turn");
    },
  },
  {
    name: "lines that are no messages, ids that are none, initialize at the wrong time",
    stdio: true, // elsewhere the transport answers them
    raw: true,
    async run(raw) {
      const error = async (answer) => {
        const { id, error } = await answer;
        return id === null ? [null, error.code] : error.code;
      };
      const initialize = (protocolVersion, more = { info: INFO }) =>
        raw.request("initialize", { protocolVersion, ...more });
      raw.line("{");
      assert.deepEqual(await error(raw.answer()), [null, -32700]);
      raw.line("[]");
      assert.deepEqual(await error(raw.answer()), [null, -32600]);
      assert.equal(await error(raw.request("session/list", {})), -32600);
      raw.send({ method: "session/cancel", params: { sessionId: "none" } });
      const { data } = (await initialize(0)).error;
      assert.deepEqual(data, { requested: 0, supported: [1, 2] });
      assert.equal(await error(initialize("2")), -32602);
      assert.equal(await error(initialize(2, {})), -32602);
      assert.equal((await initialize(65535, {})).result.protocolVersion, 2);
      assert.equal((await initialize(2)).result.protocolVersion, 2);
      assert.equal(await error(initialize(1)), -32600);
      assert.deepEqual(await error(raw.request("session/list", {}, null)), [null, -32600]);
      assert.deepEqual(await error(raw.request("session/list", {}, 1.5)), [null, -32600]);
      assert.deepEqual((await raw.request("session/list", {})).result.sessions, []);
      assert.equal(await error(initialize(2)), -32600);
    },
  },
];
