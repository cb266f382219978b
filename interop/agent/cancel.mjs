// Cancelling, in every phase of a turn; the session goes on.
import assert from "node:assert/strict";

import { Gate } from "../model_server.mjs";
import { ALL, capabilitiesOf } from "./editor.mjs";
import { Pipe } from "./pipe.mjs";
import { said, toolCalls } from "./views.mjs";

const BOTH = ["openai", "anthropic"];

async function goesOn(stage, editor) {
  const { stopReason, updates } = await stage.play(editor, "Still there?", [{ text: "Yes." }]);
  assert.equal(stopReason, "end_turn");
  assert.equal(said(updates), "Yes.");
}

// A command that runs until it is killed: cancelled, it and its children are gone.
async function duringCommand(stage, capabilities) {
  const editor = await stage.begin({ capabilities });
  const pipe = new Pipe(stage.place.path("pipe"));
  stage.script([{ toolCalls: [{ name: "run", arguments: { command: pipe.command } }] }]);
  const since = editor.mark();
  const answer = editor.prompt("Run");
  await pipe.untilBegun();
  await editor.cancel();
  assert.equal((await answer).stopReason, "cancelled");
  await pipe.untilGone();
  const [call] = toolCalls(editor.updatesSince(since));
  assert.equal(call.status, "failed");
  await goesOn(stage, editor);
}

export const scenarios = [
  {
    name: "cancel while nothing runs changes nothing",
    async play(stage) {
      const editor = await stage.begin();
      await editor.cancel();
      await goesOn(stage, editor);
      await editor.cancel();
      await goesOn(stage, editor);
    },
  },
  {
    name: "cancel while the model speaks: the server sees it",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      for (const hangAfter of [0, 700]) {
        const number = stage.requests.length;
        stage.script([{ text: "A long story. ".repeat(50), hangAfter }]);
        const since = editor.mark();
        const answer = editor.prompt("Tell me a story");
        const request = await stage.model.request(number);
        if (hangAfter > 0)
          await editor.update(
            ({ sessionUpdate }) => sessionUpdate === "agent_message_chunk",
            "text",
            since,
          );
        await editor.cancel();
        assert.equal((await answer).stopReason, "cancelled");
        assert.equal(await request.aborted, true);
      }
      await goesOn(stage, editor);
    },
  },
  {
    name: "cancel while a tool call streams: it has failed, and is not run",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin({ mode: "code" });
      const gate = new Gate(4);
      const write = { name: "write", arguments: { path: "new.txt", content: "x".repeat(500) } };
      stage.script([{ toolCalls: [write], gate }]);
      const since = editor.mark();
      const answer = editor.prompt("Write");
      await editor.update(({ sessionUpdate }) => sessionUpdate === "tool_call", "the call", since);
      await editor.cancel();
      assert.equal((await answer).stopReason, "cancelled");
      assert.ok(!stage.place.has("new.txt"));
      await goesOn(stage, editor);
    },
  },
  {
    name: "cancel during a question: answered `cancelled`, as the protocol wants it",
    apis: BOTH,
    async play(stage) {
      const editor = await stage.begin();
      let decide;
      editor.permissions.then(() => new Promise((resolve) => (decide = resolve)));
      const edit = { path: "notes.txt", edits: [{ old_text: "beta", new_text: "B" }] };
      stage.script([{ toolCalls: [{ name: "edit", arguments: edit }] }]);
      const since = editor.mark();
      const answer = editor.prompt("Edit");
      await editor.transcript.asked("session/request_permission", since);
      await editor.cancel();
      decide("cancelled");
      assert.equal((await answer).stopReason, "cancelled");
      assert.equal(stage.place.read("notes.txt"), "alpha\nbeta\ngamma\n");
      await goesOn(stage, editor);
    },
  },
  {
    name: "cancel during a question that is answered too late, and with yes",
    async play(stage) {
      const editor = await stage.begin();
      let decide;
      editor.permissions.then(() => new Promise((resolve) => (decide = resolve)));
      stage.script([{ toolCalls: [{ name: "delete", arguments: { path: "notes.txt" } }] }]);
      const since = editor.mark();
      const answer = editor.prompt("Delete");
      await editor.transcript.asked("session/request_permission", since);
      await editor.cancel();
      assert.equal((await answer).stopReason, "cancelled");
      decide("allow_once");
      await editor.barrier();
      assert.ok(stage.place.has("notes.txt"));
      await goesOn(stage, editor);
    },
  },
  {
    name: "cancel during a command of the client's terminal: killed, released, gone",
    play: (stage) => duringCommand(stage, ALL),
  },
  {
    name: "cancel during a command of our own: it and its children are gone",
    play: (stage) => duringCommand(stage, capabilitiesOf(false, false, false)),
  },
  {
    name: "cancel reaches the prompt that waits, too",
    async play(stage) {
      const editor = await stage.begin();
      stage.script([{ text: "A long story.", hangAfter: 0 }]);
      const first = editor.prompt("One");
      const second = editor.prompt("Never sent");
      await stage.model.request(0);
      await editor.barrier();
      await editor.cancel();
      assert.equal((await first).stopReason, "cancelled");
      assert.equal((await second).stopReason, "cancelled");
      await goesOn(stage, editor);
      assert.equal(stage.requests.length, 2, "the second was not begun");
    },
  },
  {
    name: "$/cancel_request of a prompt: stop reason cancelled",
    async play(stage) {
      const editor = await stage.begin();
      stage.script([{ text: "A long story.", hangAfter: 0 }]);
      const taken = new AbortController();
      const options = { cancellationSignal: taken.signal };
      const answer = editor.prompt("Hello", editor.sessionId, options);
      const request = await stage.model.request(0);
      taken.abort();
      assert.equal((await answer).stopReason, "cancelled");
      assert.equal(await request.aborted, true);
      await goesOn(stage, editor);
    },
  },
  {
    name: "closing a session cancels its turn first",
    async play(stage) {
      const editor = await stage.begin();
      stage.script([{ text: "A long story.", hangAfter: 0 }]);
      const answer = editor.prompt("Hello");
      const request = await stage.model.request(0);
      await editor.request("session/close", { sessionId: editor.sessionId });
      assert.equal((await answer).stopReason, "cancelled");
      assert.equal(await request.aborted, true);
    },
  },
];
