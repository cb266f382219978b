// Scenarios of an SDK client with our agent: cancelling, in every phase of a turn.
import assert from "node:assert/strict";

import { fails } from "./deadline.mjs";

// An answer that comes only when nobody waits for it any more.
function untilCancelled(_params, { signal }) {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
  });
}

// Prompts, waits until the agent has asked by `method`, cancels, and expects the turn to be cancelled.
async function cancelDuring(editor, prompt, method) {
  const since = editor.mark();
  const response = editor.prompt(prompt);
  const asked = await editor.transcript.asked(method, since);
  await editor.cancel();
  assert.equal((await response).stopReason, "cancelled", prompt);
  assert.equal((await editor.turn("still there")).text, "still there");
  return asked;
}

const cancellationOf = (editor, asked) =>
  editor.transcript.until(
    ({ from, message }) =>
      from === "agent" &&
      message.method === "$/cancel_request" &&
      message.params.requestId === asked.message.id,
    `$/cancel_request for ${asked.message.method}`,
  );

export const scenarios = [
  {
    name: "session/cancel while nothing runs changes nothing",
    async run(editor) {
      await editor.newSession();
      await editor.cancel();
      await editor.cancel("nowhere");
      assert.deepEqual((await editor.turn("hello")).stopReason, "end_turn");
      await editor.cancel();
      assert.equal((await editor.turn("again")).text, "again");
    },
  },
  {
    name: "session/cancel while the agent streams: no update after the answer",
    async run(editor) {
      await editor.newSession();
      await editor.barrier();
      await cancelDuring(editor, "stream 100000000", "session/update");
    },
  },
  {
    name: "session/cancel while the agent waits for a permission",
    async run(editor) {
      await editor.newSession();
      // The client answers `cancelled`, as the protocol wants it.
      let answer;
      editor.answers.permission = () => new Promise((resolve) => (answer = resolve));
      const since = editor.mark();
      const response = editor.prompt("permission");
      await editor.transcript.asked("session/request_permission", since);
      await editor.cancel();
      answer({ outcome: { outcome: "cancelled" } });
      assert.equal((await response).stopReason, "cancelled");
      // It does not: the agent takes its question back.
      editor.answers.permission = untilCancelled;
      const asked = await cancelDuring(editor, "permission", "session/request_permission");
      await cancellationOf(editor, asked);
    },
  },
  {
    name: "session/cancel while the agent waits for a file, for the user, for an extension",
    async run(editor) {
      await editor.newSession();
      Object.assign(editor.answers, {
        read: untilCancelled,
        write: untilCancelled,
        elicitation: untilCancelled,
        custom: untilCancelled,
      });
      const phases = {
        "read /project/a": "fs/read_text_file",
        "write /project/a x": "fs/write_text_file",
        elicit: "elicitation/create",
        "elicit-url": "elicitation/create",
        "ext _client/custom {}": "_client/custom",
      };
      for (const [prompt, method] of Object.entries(phases))
        await cancellationOf(editor, await cancelDuring(editor, prompt, method));
    },
  },
  {
    name: "session/cancel while a terminal runs: it is killed and released",
    async run(editor) {
      await editor.newSession();
      for (const prompt of ["run exec sleep 1000", "terminal exec sleep 1000"]) {
        await cancelDuring(editor, prompt, "terminal/wait_for_exit");
        await editor.barrier();
        assert.equal(editor.terminals.open, 0, prompt);
      }
    },
  },
  {
    name: "session/cancel reaches the prompt that waits in the queue, too",
    async run(editor) {
      await editor.newSession();
      await editor.barrier();
      const since = editor.mark();
      const first = editor.prompt("wait");
      const second = editor.prompt("never said");
      await editor.transcript.asked("session/update", since);
      await editor.cancel();
      assert.equal((await first).stopReason, "cancelled");
      assert.equal((await second).stopReason, "cancelled");
      assert.equal((await editor.turn("third")).text, "third");
      const said = JSON.stringify(editor.updatesSince(since));
      assert.ok(!said.includes("never"), "the second prompt was not begun");
    },
  },
  {
    name: "$/cancel_request: a prompt, one in the queue, another request",
    async run(editor) {
      await editor.newSession();
      await editor.barrier();
      const since = editor.mark();
      const [first, second] = [new AbortController(), new AbortController()];
      const prompt = editor.prompt("wait", { cancellationSignal: first.signal });
      const queued = editor.prompt("never said", { cancellationSignal: second.signal });
      await editor.transcript.asked("session/update", since);
      second.abort();
      assert.equal((await queued).stopReason, "cancelled");
      first.abort();
      assert.equal((await prompt).stopReason, "cancelled");
      const other = new AbortController();
      const waiting = editor.request("_echo/wait", {}, { cancellationSignal: other.signal });
      await editor.transcript.asked("_echo/waiting", since);
      other.abort();
      await fails(waiting, -32800);
      // Of no request at all.
      await editor.notify("$/cancel_request", { requestId: 4711 });
      assert.equal((await editor.turn("still there")).text, "still there");
    },
  },
  {
    name: "prompts of one session take turns; those of two do not wait for each other",
    async run(editor) {
      const one = (await editor.newSession()).sessionId;
      const two = (await editor.newSession()).sessionId;
      await editor.barrier();
      const since = editor.mark();
      const blocked = editor.prompt("wait", undefined, one);
      await editor.transcript.asked("session/update", since);
      assert.equal((await editor.prompt("hello", undefined, two)).stopReason, "end_turn");
      const [a, b] = [editor.prompt("a", undefined, two), editor.prompt("b", undefined, two)];
      assert.equal((await b).stopReason, "end_turn");
      assert.equal((await a).stopReason, "end_turn");
      await editor.cancel(one);
      assert.equal((await blocked).stopReason, "cancelled");
    },
  },
];
