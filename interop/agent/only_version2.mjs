// What version 2 has in place of some scenarios of version 1.
import assert from "node:assert/strict";

import { fails } from "../deadline.mjs";
import { Pipe } from "./pipe.mjs";
import { said, toolCalls } from "./views.mjs";

// In version 2's own words.
const updatesOnWire = ({ wire }) =>
  wire.entries.map(({ message }) => message.params?.update).filter(Boolean);

export const scenarios = [
  {
    name: "version 2: initialize: what the agent says it can",
    async play(stage) {
      const editor = await stage.start();
      const [{ message }] = editor.wire.entries.filter(({ from }) => from === "agent");
      const { protocolVersion, info, capabilities, authMethods } = message.result;
      assert.equal(protocolVersion, 2);
      assert.ok(info.name && info.version);
      assert.deepEqual(capabilities.session.mcp, { stdio: {}, http: {} });
      assert.deepEqual(capabilities.session.prompt.embeddedContext, {});
      assert.deepEqual(capabilities.session.delete, {});
      assert.deepEqual(capabilities.session.additionalDirectories, {});
      assert.ok(authMethods.every(({ methodId, type }) => methodId && type));
      assert.equal(stage.model.probes.length, 0, "no probe delays initialize");
    },
  },
  {
    name: "version 2: a question answered `cancelled` is not approved, and the turn goes on",
    apis: ["openai", "anthropic"],
    async play(stage) {
      const editor = await stage.begin();
      editor.permissions.then("cancelled");
      const edits = [{ old_text: "beta", new_text: "B" }];
      const edit = { name: "edit", arguments: { path: "notes.txt", edits } };
      const answers = [{ toolCalls: [edit] }, { text: "As you like." }];
      const { stopReason, updates } = await stage.play(editor, "Edit", answers);
      assert.equal(stopReason, "end_turn");
      assert.equal(toolCalls(updates)[0].status, "failed");
      assert.equal(stage.place.read("notes.txt"), "alpha\nbeta\ngamma\n");
    },
  },
  {
    name: "version 2: a tool call that is cancelled alone ends, and the model goes on",
    apis: ["openai", "anthropic"],
    async play(stage) {
      const editor = await stage.begin({ mode: "code" });
      const pipe = new Pipe(stage.place.path("pipe"));
      const run = { name: "run", arguments: { command: pipe.command } };
      stage.script([{ toolCalls: [run] }, { text: "As you like." }]);
      const since = editor.mark();
      const answer = editor.prompt("Run");
      await pipe.untilBegun();
      const updates = () => updatesOnWire(editor);
      const { toolCallId } = updates().find(({ capabilities }) => capabilities?.cancel);
      const { sessionId } = editor;
      const cancel = (id) => editor.request("tool_call/cancel", { sessionId, toolCallId: id });
      await fails(cancel("unknown"), -32602);
      await cancel(toolCallId);
      await pipe.untilGone();
      assert.equal((await answer).stopReason, "end_turn");
      const last = updates().findLast((update) => update.toolCallId === toolCallId);
      assert.deepEqual([last.status, last.capabilities], ["cancelled", null]);
      assert.equal(said(editor.updatesSince(since)), "As you like.");
      assert.ok(JSON.stringify(stage.lastRequest.body).includes("the user cancelled this call"));
      await fails(cancel(toolCallId), -32602);
    },
  },
  {
    name: "version 2: a question of a tool call that is cancelled alone is taken back",
    async play(stage) {
      const editor = await stage.begin();
      editor.permissions.then(() => new Promise(() => {}));
      const remove = { name: "delete", arguments: { path: "notes.txt" } };
      stage.script([{ toolCalls: [remove] }, { text: "It stays." }]);
      const since = editor.mark();
      const answer = editor.prompt("Delete");
      const asked = await editor.wire.asked("session/request_permission");
      const { toolCallId } = asked.message.params.subject.toolCall;
      await editor.request("tool_call/cancel", { sessionId: editor.sessionId, toolCallId });
      assert.equal((await answer).stopReason, "end_turn");
      assert.ok(stage.place.has("notes.txt"));
      assert.equal(said(editor.updatesSince(since)), "It stays.");
      const takenBack = await editor.wire.asked("$/cancel_request");
      assert.equal(takenBack.message.params.requestId, asked.message.id);
    },
  },
  {
    name: "version 2: MCP servers over SSE are refused",
    async play(stage) {
      const editor = await stage.start();
      const server = { type: "sse", name: "old", url: "http://127.0.0.1:1/sse", headers: [] };
      await fails(editor.newSession({ mcpServers: [server] }), -32602);
    },
  },
  {
    name: "version 2: what version 1 alone has is unknown",
    async play(stage) {
      const editor = await stage.begin();
      const { sessionId } = editor;
      const { agent } = editor;
      for (const [method, params] of [
        ["authenticate", { methodId: "openai-key" }],
        ["logout", {}],
        ["session/load", { sessionId, cwd: stage.place.project }],
        ["session/set_mode", { sessionId, modeId: "code" }],
      ])
        await fails(agent.request(method, params), -32601);
    },
  },
];
