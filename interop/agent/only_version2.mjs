// What version 2 has in place of some scenarios of version 1.
import assert from "node:assert/strict";

import { fails } from "../deadline.mjs";
import { toolCalls } from "./views.mjs";

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
