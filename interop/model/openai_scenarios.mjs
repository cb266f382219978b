// The test's model server, read by npm `openai`.
import assert from "node:assert/strict";

import OpenAI from "openai";

import { CALLS, FULL, SEEDS, TEXT, THOUGHT, USAGE, WRITINGS } from "./answers.mjs";
import { Gate } from "./gate.mjs";

const TOOLS = CALLS.map(({ name }) => ({
  type: "function",
  function: { name, parameters: { type: "object" } },
}));
const BODY = {
  model: "test-model",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello" },
  ],
  tools: TOOLS,
  stream_options: { include_usage: true },
};

const client = (model) =>
  new OpenAI({ baseURL: `${model.url}/v1`, apiKey: "sk-test", maxRetries: 0 });

// What the SDK's own helper makes of it.
async function read(model, options) {
  const stream = client(model).chat.completions.stream(BODY, options);
  let thought = "";
  stream.on("chunk", ({ choices }) => (thought += choices[0]?.delta.reasoning_content ?? ""));
  const { choices, usage } = await stream.finalChatCompletion();
  const { message, finish_reason } = choices[0];
  delete message.reasoning_content; // which it does not know: it keeps the last piece
  return { thought, message, finish_reason, usage };
}

const calls = ({ tool_calls = [] }) =>
  tool_calls.map(({ function: { name, arguments: text } }) => ({
    name,
    arguments: JSON.parse(text),
  }));

export const scenarios = [
  {
    name: "openai: text, thoughts, parallel tool calls, usage; what was asked is kept",
    async run(model) {
      model.script([FULL]);
      const { thought, message, finish_reason, usage } = await read(model);
      assert.equal(message.content, TEXT);
      assert.equal(thought, THOUGHT);
      assert.deepEqual(calls(message), CALLS);
      assert.equal(new Set(message.tool_calls.map(({ id }) => id)).size, CALLS.length);
      assert.equal(finish_reason, "tool_calls");
      assert.equal(usage.prompt_tokens, USAGE.input);
      assert.equal(usage.completion_tokens, USAGE.output);
      assert.equal(usage.prompt_tokens_details.cached_tokens, USAGE.cached);
      assert.equal(usage.completion_tokens_details.reasoning_tokens, USAGE.thought);
      const [{ headers, body, conversation }] = model.requests;
      assert.equal(headers.authorization, "Bearer sk-test");
      assert.deepEqual(body.messages, BODY.messages);
      assert.equal(conversation.system, "Be brief.");
      assert.deepEqual(conversation.toolNames, ["read", "grep", "list"]);
      assert.equal(await model.requests[0].aborted, false);
    },
  },
  {
    name: "openai: arguments of parallel calls really come in turns",
    async run(model) {
      model.script([FULL]);
      const order = [];
      for await (const { choices } of await client(model).chat.completions.create({
        ...BODY,
        stream: true,
      }))
        for (const { index, function: f } of choices[0]?.delta.tool_calls ?? [])
          if (f.arguments) order.push(index);
      const changes = order.filter((index, i) => i > 0 && index !== order[i - 1]).length;
      assert.ok(changes > CALLS.length, order.join());
    },
  },
  {
    name: "openai: every stop reason",
    async run(model) {
      const reasons = {
        stop: { text: "x" },
        tool_calls: { toolCalls: CALLS },
        length: { text: "x", stop: "max_tokens" },
        content_filter: { stop: "refusal" },
      };
      for (const [reason, answer] of Object.entries(reasons)) {
        model.script([answer]);
        let seen;
        for await (const { choices } of await client(model).chat.completions.create({
          ...BODY,
          stream: true,
        }))
          seen = choices[0]?.finish_reason ?? seen;
        assert.equal(seen, reason);
        model.script([answer]);
        assert.equal((await read(model)).finish_reason, reason);
      }
      model.script([{ refusal: "I cannot do that." }]);
      const { message, finish_reason } = await read(model);
      assert.equal(message.refusal, "I cannot do that.");
      assert.equal(finish_reason, "stop");
    },
  },
  {
    name: "openai: HTTP errors",
    async run(model) {
      const errors = {
        400: OpenAI.BadRequestError,
        401: OpenAI.AuthenticationError,
        429: OpenAI.RateLimitError,
        500: OpenAI.InternalServerError,
      };
      for (const [status, type] of Object.entries(errors)) {
        model.script([{ status: Number(status), retryAfter: 7, message: "because" }]);
        await assert.rejects(read(model), (error) => {
          assert.ok(error instanceof type, `${status}: ${error.constructor.name}`);
          assert.equal(error.headers.get("retry-after"), "7");
          assert.match(error.message, /because/);
          return true;
        });
      }
    },
  },
  {
    name: "openai: broken off, an error in the stream, what is no event",
    async run(model) {
      model.script([{ text: TEXT, truncateAfter: 300 }]);
      await assert.rejects(read(model), /terminated|Premature|aborted|ECONNRESET|Connection error/);
      model.script([{ text: TEXT, truncateAfter: 300, cleanly: true }]);
      await assert.rejects(read(model), OpenAI.OpenAIError);
      model.script([{ text: TEXT, errorAfter: 1, error: { message: "out of steam" } }]);
      await assert.rejects(read(model), (error) => {
        assert.ok(error instanceof OpenAI.APIError);
        assert.match(error.message, /out of steam/);
        return true;
      });
      model.script([{ text: TEXT, malformedAfter: 1 }]);
      await assert.rejects(read(model), /malformed server-sent event/);
    },
  },
  {
    name: "openai: one that hangs sees that the client has gone",
    async run(model) {
      model.script([{ text: TEXT, hangAfter: 400 }]);
      const leaving = new AbortController();
      const reading = read(model, { signal: leaving.signal });
      reading.catch(() => {});
      await model.request(0);
      for (let i = 0; i < 5; ++i) await client(model).models.list(); // had it ended, we would know
      leaving.abort();
      await assert.rejects(reading, OpenAI.APIUserAbortError);
      assert.equal(await model.requests[0].aborted, true);
    },
  },
  {
    name: "openai: pieces pass the gate one by one",
    async run(model) {
      const gate = new Gate();
      model.script([{ text: TEXT, gate }]);
      const stream = client(model).chat.completions.stream(BODY);
      let seen = "";
      let heard = () => {};
      stream.on("content", (delta) => ((seen += delta), heard()));
      for (let i = 0; i < 3; ++i) {
        await gate.someoneWaits();
        const before = seen;
        const next = new Promise((resolve) => (heard = resolve));
        gate.release();
        await next;
        assert.ok(seen.length > before.length && seen.length < TEXT.length);
      }
      gate.open();
      assert.equal((await stream.finalChatCompletion()).choices[0].message.content, TEXT);
    },
  },
  {
    name: `openai: ${SEEDS} random cuts of the bytes change nothing`,
    minutes: 5,
    async run(model) {
      model.script([FULL]);
      const whole = await read(model);
      const ids = ({ message }) => message.tool_calls.map((call) => delete call.id);
      ids(whole);
      for (let chunking = 0; chunking < SEEDS; ++chunking) {
        model.script([{ ...FULL, chunking, seed: chunking, ...WRITINGS[chunking % 3] }]);
        const cut = await read(model);
        ids(cut);
        assert.deepEqual(cut, whole, `seed ${chunking}`);
      }
    },
  },
  {
    name: "openai: its list of models",
    async run(model) {
      const ids = [];
      for await (const { id } of await client(model).models.list()) ids.push(id);
      assert.deepEqual(ids, ["test-model"]);
    },
  },
];
