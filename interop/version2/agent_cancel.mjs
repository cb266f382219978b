// Scenarios of a version 2 client on the SDK with our agent: cancelling, in every phase of a turn.
import assert from "node:assert/strict";

import { fails } from "../deadline.mjs";
import { untilCancelled } from "./editor.mjs";

// Prompts, waits until the agent has asked by `method`, cancels, and expects the turn to be cancelled
// and the question to be taken back.
async function cancelDuring(editor, prompt, method) {
  const since = editor.mark();
  await editor.prompt(prompt);
  const asked = await editor.transcript.asked(method, since);
  await editor.cancel();
  assert.equal((await editor.idle(since)).stopReason, "cancelled", prompt);
  await editor.transcript.until(
    ({ from, message }) =>
      from === "agent" &&
      message.method === "$/cancel_request" &&
      message.params.requestId === asked.message.id,
    `$/cancel_request for ${method}`,
  );
  await editor.transcript.answerTo(asked);
  assert.equal((await editor.turn("still there")).text, "still there");
}

export const scenarios = [
  {
    name: "session/cancel while nothing runs changes nothing",
    async run(editor) {
      await editor.newSession();
      await editor.cancel();
      await editor.cancel("nowhere");
      assert.equal((await editor.turn("hello")).stopReason, "end_turn");
      await editor.cancel();
      assert.equal((await editor.turn("again")).text, "again");
    },
  },
  {
    name: "session/cancel while the agent waits for an answer",
    async run(editor) {
      await editor.newSession();
      Object.assign(editor.answers, { permission: untilCancelled, elicitation: untilCancelled });
      const phases = {
        permission: "session/request_permission",
        "permission-command": "session/request_permission",
        elicit: "elicitation/create",
        "elicit-url": "elicitation/create",
        "ext _client/wait {}": "_client/wait",
      };
      for (const [prompt, method] of Object.entries(phases))
        await cancelDuring(editor, prompt, method);
    },
  },
  {
    name: "session/cancel while a permission is asked for, and the client says so itself",
    async run(editor) {
      await editor.newSession();
      let taken;
      editor.answers.permission = (_params, { signal }) =>
        new Promise((resolve) => {
          taken = signal;
          signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } }));
        });
      const since = editor.mark();
      await editor.prompt("permission");
      await editor.transcript.asked("session/request_permission", since);
      await editor.cancel();
      assert.equal((await editor.idle(since)).stopReason, "cancelled");
      assert.equal((await editor.turn("still there")).text, "still there");
      assert.ok(taken.aborted);
    },
  },
  {
    name: "$/cancel_request: a prompt at work goes on, one that waits does not begin, another request",
    async run(editor) {
      await editor.newSession();
      const since = editor.mark();
      const [first, second, other] = [1, 2, 3].map(() => new AbortController());
      await editor.prompt("wait", { cancellationSignal: first.signal });
      first.abort(); // it is answered
      await editor.update((u) => u.sessionUpdate === "agent_message_chunk", "a chunk", since);
      const queued = editor.prompt("never said", { cancellationSignal: second.signal });
      second.abort();
      await fails(queued, -32800);
      await editor.cancel();
      assert.equal((await editor.idle(since)).stopReason, "cancelled");
      const waiting = editor.request("_echo/wait", {}, { cancellationSignal: other.signal });
      await editor.transcript.asked("_echo/waiting", since);
      other.abort();
      await fails(waiting, -32800);
      await editor.notify("$/cancel_request", { requestId: 4711 }); // of no request at all
      assert.equal((await editor.turn("still there")).text, "still there");
      assert.ok(!JSON.stringify(editor.updatesSince(since)).includes("never"));
    },
  },
  {
    name: "session/close cancels the prompt that waits, too",
    async run(editor) {
      await editor.newSession();
      const since = editor.mark();
      await editor.prompt("wait");
      const refused = fails(editor.prompt("never said"), -32800);
      await editor.request("session/close", { sessionId: editor.sessionId });
      await refused;
      assert.equal((await editor.idle(since)).stopReason, "cancelled");
      await fails(editor.prompt("closed"), -32002);
    },
  },
  {
    name: "prompts of one session take turns; those of two do not wait for each other",
    async run(editor) {
      const one = (await editor.newSession()).sessionId;
      const two = (await editor.newSession()).sessionId;
      const since = editor.mark();
      await editor.prompt("wait", undefined, one);
      const ended = async (id) => {
        const from = editor.mark();
        await editor.prompt("hello", undefined, id);
        return (await editor.idle(from, id)).stopReason;
      };
      assert.equal(await ended(two), "end_turn");
      const both = [editor.prompt("a", undefined, two), editor.prompt("b", undefined, two)];
      const [a, b] = await Promise.all(both);
      assert.notEqual(a.messageId, b.messageId);
      await editor.barrier();
      const echoes = editor
        .updatesSince(since, two)
        .filter(({ sessionUpdate }) => sessionUpdate === "user_message")
        .map(({ messageId }) => messageId);
      assert.deepEqual(echoes.slice(1), [a.messageId, b.messageId]);
      await editor.cancel(one);
      assert.equal((await editor.idle(since, one)).stopReason, "cancelled");
    },
  },
];
