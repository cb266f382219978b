// Scenarios of a version 2 client on the SDK with our agent.
import assert from "node:assert/strict";

import { fails } from "../deadline.mjs";
import { CWD, textOf } from "../sdk_client.mjs";

const kinds = (updates) => updates.map(({ sessionUpdate }) => sessionUpdate);
const states = (updates) =>
  updates.filter(({ sessionUpdate }) => sessionUpdate === "state_update").map(({ state }) => state);

export const scenarios = [
  {
    name: "initialize: capabilities are markers, and the highest version is spoken",
    started: false,
    async run(editor) {
      const answer = await editor.initialize();
      assert.equal(answer.protocolVersion, 2);
      assert.equal(answer.info.name, "echo");
      const { session } = answer.capabilities;
      assert.deepEqual(session.prompt.image, {});
      assert.deepEqual(session.mcp.stdio, {});
      assert.deepEqual(session.delete, {});
      assert.deepEqual(session.additionalDirectories, {});
      assert.equal(session.list, undefined);
    },
  },
  {
    name: "initialize: may be repeated before anything else, and not after it",
    started: false,
    stdio: true, // elsewhere a connection has one attempt
    async run(editor) {
      await editor.initialize();
      assert.equal((await editor.initialize()).protocolVersion, 2);
      await editor.newSession();
      assert.equal((await editor.turn("still there")).text, "still there");
    },
  },
  {
    name: "session/new: modes are an option, commands stand in the answer",
    async run(editor) {
      const since = editor.mark();
      const session = await editor.newSession({ additionalDirectories: ["/project/other"] });
      const [mode, ...others] = session.configOptions;
      assert.deepEqual([mode.configId, mode.category, mode.currentValue], ["mode", "mode", "ask"]);
      assert.deepEqual(
        others.map(({ configId, type }) => `${configId} ${type}`),
        ["model select", "verbose boolean"],
      );
      assert.ok(session.availableCommands.length > 0);
      assert.equal(session.availableCommands[0].type, "command");
      await editor.turn("hello");
      assert.ok(!kinds(editor.updatesSince(since)).includes("available_commands_update"));
    },
  },
  {
    name: "a turn: inserted, echoed, running, said, idle; one id for a message",
    async run(editor) {
      await editor.newSession();
      const turn = await editor.turn("a text of more than eight letters");
      assert.equal(turn.stopReason, "end_turn");
      assert.equal(turn.text, "a text of more than eight letters");
      const [echo] = turn.updates;
      assert.equal(echo.sessionUpdate, "user_message");
      assert.equal(echo.messageId, turn.messageId);
      assert.deepEqual(echo.content, [{ type: "text", text: "a text of more than eight letters" }]);
      assert.deepEqual(states(turn.updates), ["running", "idle"]);
      assert.equal(turn.updates.at(-1).sessionUpdate, "state_update");
      const ids = new Set(turn.updates.slice(2, -1).map(({ messageId }) => messageId));
      assert.equal(ids.size, 1);
      assert.notEqual((await editor.turn("again")).messageId, turn.messageId);
    },
  },
  {
    name: "every kind of content, there and back",
    async run(editor) {
      await editor.newSession();
      const { updates } = await editor.turn("content");
      const sent = updates.filter((u) => u.sessionUpdate === "agent_message_chunk");
      assert.deepEqual(
        sent.map(({ content }) => content.type),
        ["text", "image", "audio", "resource_link", "resource", "resource"],
      );
      await fails(editor.prompt([]), -32602);
      await fails(editor.prompt([{ type: "text" }]), -32602);
    },
  },
  {
    name: "every update; every stop reason; an error ends the turn",
    async run(editor) {
      await editor.newSession();
      const seen = new Set(kinds((await editor.turn("updates")).updates));
      for (const kind of [
        "user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call_update",
        "plan_update", "available_commands_update", "config_option_update", "session_info_update",
        "usage_update", "notice", "compaction_update", "compaction_summary_chunk",
      ])
        assert.ok(seen.has(kind), kind);
      for (const kind of ["tool_call", "plan", "current_mode_update"])
        assert.ok(!seen.has(kind), kind);
      for (const reason of ["refusal", "max_tokens", "max_turn_requests"])
        assert.equal((await editor.turn(reason)).stopReason, reason);
      const custom = await editor.turn("error -31999");
      assert.equal(custom.stopReason, "error");
      assert.equal(custom.error.code, -31999);
      const inner = await editor.turn("throw");
      assert.equal(inner.error.code, -32603);
      assert.ok(!JSON.stringify(inner.error).includes("secret"));
    },
  },
  {
    name: "tool calls are upserts, content comes in pieces; a diff is a patch; one left open has failed",
    async run(editor) {
      await editor.newSession();
      const calls = (await editor.turn("tool")).updates.filter(({ toolCallId }) => toolCallId);
      assert.deepEqual(
        new Set(kinds(calls)),
        new Set(["tool_call_update", "tool_call_content_chunk"]),
      );
      assert.equal(calls[0].name, "grep");
      assert.deepEqual(calls.map(({ status }) => status).filter(Boolean), [
        "pending", "in_progress", "completed",
      ]);
      const edits = (await editor.turn("diff /project/a.txt")).updates;
      const isDiff = ({ sessionUpdate, content }) =>
        sessionUpdate === "tool_call_content_chunk" && content.type === "diff";
      const { changes, patch } = edits.find(isDiff).content;
      assert.equal(changes.length, 1);
      assert.deepEqual([changes[0].operation, changes[0].path], ["modify", "/project/a.txt"]);
      assert.equal(patch.format, "git_patch");
      assert.ok(patch.text.includes("-old\n+new\n"), patch.text);
      const open = (await editor.turn("open-tool")).updates.filter(({ toolCallId }) => toolCallId);
      assert.equal(open.at(-1).status, "failed");
    },
  },
  {
    name: "permission: title and subject; each kind of option; not approved",
    async run(editor) {
      await editor.newSession();
      let asked;
      const choose = (kind) => (params) => {
        asked = params;
        const { optionId } = params.options.find((option) => option.kind === kind);
        return { outcome: { outcome: "selected", optionId } };
      };
      for (const kind of ["allow_once", "allow_always", "reject_once", "reject_always"]) {
        editor.answers.permission = choose(kind);
        const { text } = await editor.turn("permission-all");
        const verdict = kind.startsWith("allow") ? "allowed" : "rejected";
        assert.equal(text, `${verdict} ${kind.replace("_", "-")}`);
        assert.ok(asked.title.length > 0);
        assert.equal(asked.subject.type, "tool_call");
      }
    },
  },
  {
    name: "what version 2 has not is refused with a sentence, and nothing is asked",
    async run(editor) {
      await editor.newSession();
      for (const words of ["read /project/a", "write /project/a x", "run true"]) {
        const since = editor.mark();
        const { text } = await editor.turn(`try ${words}`);
        assert.ok(text.startsWith("refused "), `${words}: ${text}`);
        const asked = editor.transcript.entries
          .slice(since)
          .filter(({ from, message }) => from === "agent" && "method" in message && "id" in message);
        assert.deepEqual(asked, [], words);
      }
    },
  },
  {
    name: "the user is asked, by a form and by a page",
    async run(editor) {
      await editor.newSession();
      let asked;
      editor.answers.elicitation = (params) => ((asked = params), { action: "decline" });
      await editor.turn("elicit");
      assert.equal(asked.mode, "form");
      assert.equal(asked.requestedSchema.type, "object");
      await editor.turn("elicit-url");
      assert.equal(asked.mode, "url");
    },
  },
  {
    name: "options: set by id and type, the mode among them; the agent's own changes",
    async run(editor) {
      const { configOptions } = await editor.newSession();
      const value = configOptions[0].options.at(-1).value;
      const set = (params) =>
        editor.request("session/set_config_option", { sessionId: editor.sessionId, ...params });
      const changed = await set({ configId: "mode", type: "id", value });
      assert.equal(changed.configOptions[0].currentValue, value);
      assert.equal(changed.configOptions.length, configOptions.length);
      const verbose = await set({ configId: "verbose", type: "boolean", value: true });
      const of = (list, id) => list.find(({ configId }) => configId === id).currentValue;
      assert.equal(of(verbose.configOptions, "verbose"), true);
      assert.equal(of(verbose.configOptions, "mode"), value);
      await fails(set({ configId: "mode", type: "id", value: "nothing" }), -32602);
      await fails(set({ configId: "none", type: "id", value: "x" }), -32602);
      const { updates } = await editor.turn("mode ask");
      const update = updates.find((u) => u.sessionUpdate === "config_option_update");
      assert.equal(of(update.configOptions, "mode"), "ask");
      assert.equal(update.configOptions.length, configOptions.length);
    },
  },
  {
    name: "resume: with a replay, without one, of what nobody knows; its state comes first",
    async run(editor) {
      await editor.newSession();
      const { sessionId } = editor;
      await editor.turn("something to remember");
      await editor.request("session/close", { sessionId });
      const resume = async (more) => {
        const since = editor.mark();
        const answer = await editor.request("session/resume", { sessionId, cwd: CWD, ...more });
        assert.equal(answer.configOptions[0].configId, "mode");
        const updates = editor.updatesSince(since);
        const idle = { sessionUpdate: "state_update", state: "idle", background: [] };
        assert.deepEqual(updates.at(-1), idle);
        return updates;
      };
      const replayed = await resume({ replayFrom: { type: "start" } });
      assert.equal(textOf(replayed), "something to remember");
      assert.ok(replayed.every((u) => u.messageId || u.sessionUpdate === "state_update"));
      await editor.request("session/close", { sessionId });
      assert.equal((await resume({})).length, 1);
      assert.equal((await editor.turn("goes on")).text, "goes on");
      const at = (replayFrom) =>
        editor.request("session/resume", { sessionId, cwd: CWD, replayFrom });
      await fails(at({ type: "_elsewhere" }), -32602);
      const unknown = { sessionId: "nowhere", cwd: CWD };
      const error = await fails(editor.request("session/resume", unknown), -32002);
      assert.deepEqual(error.data, { sessionId: "nowhere" });
    },
  },
  {
    name: "list, delete, close, of known and unknown sessions",
    async run(editor) {
      await editor.newSession();
      const { sessions } = await editor.request("session/list", {});
      assert.ok(sessions.some(({ sessionId }) => sessionId === editor.sessionId));
      for (const method of ["session/close", "session/delete"]) {
        assert.deepEqual(await editor.request(method, { sessionId: editor.sessionId }), {});
        assert.deepEqual(await editor.request(method, { sessionId: "nowhere" }), {});
      }
    },
  },
  {
    name: "MCP servers: stdio has a type, names are unique, sse is gone",
    async run(editor) {
      const local = { type: "stdio", name: "local", command: "/bin/true" };
      await editor.newSession({ mcpServers: [local] });
      const open = (...mcpServers) => editor.request("session/new", { cwd: CWD, mcpServers });
      await fails(open(local, local), -32602);
      await fails(open({ type: "_odd", name: "odd" }), -32602);
    },
  },
  {
    name: "login and logout have names of their own",
    args: ["--require-login"],
    async run(editor) {
      await fails(editor.request("session/new", { cwd: CWD }), -32000);
      await fails(editor.request("auth/login", { methodId: "magic" }), -32602);
      await editor.request("auth/login", { methodId: "password" });
      await editor.newSession();
      await editor.request("auth/logout", {});
      await fails(editor.request("session/new", { cwd: CWD }), -32000);
    },
  },
  {
    name: "cancel: while it streams, while it waits, nothing after idle",
    async run(editor) {
      await editor.newSession();
      let since = editor.mark();
      await editor.prompt("stream 100000000");
      await editor.update((u) => u.sessionUpdate === "agent_message_chunk", "a chunk", since);
      await editor.cancel();
      assert.equal((await editor.idle(since)).stopReason, "cancelled");
      assert.equal((await editor.turn("still there")).text, "still there");
      since = editor.mark();
      editor.answers.permission = (_params, { signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(new DOMException("x", "AbortError"))),
        );
      await editor.prompt("permission");
      const asked = await editor.transcript.asked("session/request_permission", since);
      await editor.cancel();
      assert.equal((await editor.idle(since)).stopReason, "cancelled");
      await editor.transcript.until(
        ({ from, message }) =>
          from === "agent" &&
          message.method === "$/cancel_request" &&
          message.params.requestId === asked.message.id,
        "the question is taken back",
      );
    },
  },
  {
    name: "cancel: what the turn leaves open is cancelled, not failed",
    async run(editor) {
      await editor.newSession();
      const since = editor.mark();
      editor.answers.permission = () => new Promise(() => {});
      await editor.prompt("permission");
      await editor.transcript.asked("session/request_permission", since);
      await editor.cancel();
      await editor.idle(since);
      const calls = editor.updatesSince(since).filter(({ toolCallId }) => toolCallId);
      assert.equal(calls.at(-1).status, "cancelled");
    },
  },
  {
    name: "a prompt that waits is inserted later, or cancelled before",
    async run(editor) {
      await editor.newSession();
      const since = editor.mark();
      await editor.prompt("wait");
      const second = editor.prompt("never said");
      const stop = new AbortController();
      const third = editor.prompt("nor this", { cancellationSignal: stop.signal });
      stop.abort();
      await fails(third, -32800);
      const refused = fails(second, -32800);
      await editor.cancel();
      await refused;
      assert.equal((await editor.idle(since)).stopReason, "cancelled");
      assert.equal((await editor.turn("fourth")).text, "fourth");
      assert.ok(!JSON.stringify(editor.updatesSince(since)).includes("never"));
    },
  },
  {
    name: "close ends the turn first",
    async run(editor) {
      await editor.newSession();
      const since = editor.mark();
      await editor.prompt("wait");
      await editor.update((u) => u.state === "running", "the state running", since);
      await editor.request("session/close", { sessionId: editor.sessionId });
      const { entries } = editor.transcript;
      const answer = entries.findLastIndex(({ from, message }) => from === "agent" && "result" in message);
      const idle = entries.findIndex(
        ({ message }, i) => i >= since && message.params?.update?.state === "idle",
      );
      assert.ok(idle >= 0 && idle < answer, "idle stands before the answer");
      assert.equal(entries[idle].message.params.update.stopReason, "cancelled");
    },
  },
  {
    name: "what cannot be cancelled, unknown methods, extensions",
    async run(editor) {
      await editor.newSession();
      const { sessionId } = editor;
      await fails(editor.request("tool_call/cancel", { sessionId, toolCallId: "x" }), -32602);
      await fails(editor.request("terminal/cancel", { sessionId, terminalId: "x" }), -32602);
      for (const method of ["session/load", "session/set_mode", "authenticate", "logout"])
        await fails(editor.request(method, { sessionId }), -32601);
      const params = { deep: [{ x: 1.5 }, null, "ü"] };
      assert.deepEqual(await editor.request("_echo/echo", params), params);
      const { text } = await editor.turn('ext _client/custom {"a":[1]}');
      assert.deepEqual(JSON.parse(text), { a: [1] });
    },
  },
];
