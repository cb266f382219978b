// A model's server for tests: OpenAI's chat completions (as llama-server speaks them, too) and
// Anthropic's messages, streamed. What it says is a script, in words that fit both:
//   {thought, text, toolCalls: [{name, arguments}], stop, refusal, usage}
//   stop: "end" | "tool_calls" | "max_tokens" | "refusal"; what is left out follows from the rest
// and how it goes wrong:
//   {status, retryAfter, message, location}    an HTTP error, or a redirect
//   {truncateAfter: BYTES, cleanly}            the stream ends early; cleanly: only the stream does
//   {hangAfter: BYTES}                         it stands still until the client goes
//   {errorAfter: PIECES, error}                an error comes in the stream
//   {malformedAfter: PIECES, malformed}        something comes that is no event of the format
//   {gate}                                     a piece passes when the gate lets it
//   {chunking: SEED}                           the bytes come in pieces that respect nothing
//   {interleaved}                              arguments of several calls in turns (OpenAI)
//   {newline: "\r\n"}, {comments}              other ways to write the same events
import { createServer } from "node:http";

import * as anthropic from "./model/anthropic_stream.mjs";
import { conversationOf } from "./model/conversation.mjs";
import * as openai from "./model/openai_stream.mjs";
import { Random } from "./model/random.mjs";
import { problemOf } from "./model/rules.mjs";

export { Gate } from "./model/gate.mjs";

const APIS = { openai, anthropic };
const PATHS = { "/v1/chat/completions": "openai", "/v1/messages": "anthropic" };

export class ModelServer {
  requests = []; // {api, headers, body, conversation, aborted}, in order
  probes = []; // the paths of all GET requests
  problems = []; // what no client should have sent
  models = ["test-model"];
  #seals = new Map();
  #waiters = [];

  static async start(options = {}) {
    const server = new ModelServer();
    Object.assign(server, options); // models, llama: {contextSize, images, tools}
    server.script(options.answers ?? []);
    server.http = createServer((request, response) => server.#handle(request, response));
    await new Promise((resolve) => server.http.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url() {
    return `http://127.0.0.1:${this.http.address().port}`;
  }

  // A list of answers, or a function of a request and its number from 0 on.
  script(answers) {
    const first = this.requests.length;
    this.answer = Array.isArray(answers)
      ? (_request, number) => answers[number - first]
      : (request, number) => answers(request, number - first);
  }

  // The request of that number, which may be yet to come.
  async request(number) {
    while (this.requests.length <= number)
      await new Promise((resolve) => this.#waiters.push(resolve));
    return this.requests[number];
  }

  async stop() {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  async #handle(request, response) {
    const { pathname } = new URL(request.url, "http://localhost");
    if (request.method === "GET") {
      this.probes.push(pathname);
      return this.#get(pathname, request, response);
    }
    const api = PATHS[pathname];
    if (request.method !== "POST" || !api) return json(response, 404, { error: "not found" });
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    await this.#complete(api, request.headers, Buffer.concat(chunks).toString(), response);
  }

  #get(path, { headers }, response) {
    if (path === "/v1/models") {
      const api = headers["anthropic-version"] ? anthropic : openai;
      return json(response, 200, api.models(this.models));
    }
    if (this.llama && path === "/health") return json(response, 200, { status: "ok" });
    if (this.llama && path === "/props") return json(response, 200, this.#props());
    return json(response, 404, { error: { message: "not found", code: 404 } });
  }

  #props() {
    const { contextSize = 8192, images = false, tools = true } = this.llama;
    return {
      default_generation_settings: { n_ctx: contextSize },
      total_slots: 1,
      model_path: `/models/${this.models[0]}.gguf`,
      modalities: { vision: images, audio: false },
      chat_template: tools ? "{% if tools %}{{ tools }}{% endif %}" : "{{ messages }}",
      chat_template_caps: { supports_tools: tools, supports_tool_calls: tools },
    };
  }

  async #complete(api, headers, text, response) {
    const number = this.requests.length;
    const aborted = new Promise((resolve) =>
      response.on("close", () => resolve(!response.writableFinished)),
    );
    const request = { api, headers, number, aborted };
    try {
      request.body = JSON.parse(text);
      request.conversation = conversationOf(api, request.body);
    } catch (error) {
      request.problem = { status: 400, message: `we could not parse the body: ${error.message}` };
    }
    this.requests.push(request);
    for (const waiter of this.#waiters.splice(0)) waiter();
    request.problem ??= problemOf(api, headers, request.body, this.#seals);
    if (request.problem) {
      this.problems.push(request.problem.message);
      return fail(api, response, request.problem);
    }
    let answer;
    try {
      answer = await this.answer(request, number);
    } catch (error) {
      this.problems.push(error.stack);
    }
    if (!answer) {
      this.problems.push(`no answer for request ${number}: ${lastWords(request)}`);
      return fail(api, response, { status: 400, message: "the script has no answer for this" });
    }
    if (answer.status && answer.status !== 200) return fail(api, response, answer);
    await this.#stream(api, request, complete(answer, number), response);
  }

  async #stream(api, { body, number, aborted }, answer, response) {
    if (answer.thought) this.#seals.set(answer.signature, answer.thought);
    if (answer.redacted) this.#seals.set(answer.redacted, "");
    const random = new Random(answer.seed ?? number);
    const words = (text = "") => random.cut([...text], 9).map((piece) => piece.join(""));
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.flushHeaders();
    const gone = aborted.then(() => "gone");
    const stream = new Stream(answer, response, gone);
    const events = withFaults(
      APIS[api].events(answer, body, { random, words, number }),
      answer,
      api,
    );
    for (const event of events) {
      if (event.content && answer.gate && (await Promise.race([answer.gate.pass(), gone]))) return;
      if (event.content) answer.onPiece?.();
      if (!(await stream.write(event))) return;
    }
    response.end();
  }
}

// What is left out of an answer.
function complete(answer, number) {
  const toolCalls = (answer.toolCalls ?? []).map((call, index) => ({
    ...call,
    id: call.id ?? `call_${number}_${index}`,
    arguments:
      typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments ?? {}),
  }));
  return {
    signature: `seal/${number}==`,
    usage: { input: 100, output: 10 },
    stop: toolCalls.length > 0 ? "tool_calls" : answer.refusal ? "refusal" : "end",
    ...answer,
    toolCalls,
  };
}

function* withFaults(events, answer, api) {
  const { errorAfter, error, malformedAfter, malformed = '{"choices":[' } = answer;
  let pieces = 0;
  for (const event of events) {
    if (event.content && pieces++ === malformedAfter) yield { ...event, data: malformed };
    if (event.content && pieces - 1 === errorAfter) {
      yield APIS[api].errorEvent({ message: "Overloaded", ...error });
      return;
    }
    yield event;
  }
}

// The bytes of a stream, as far as they go.
class Stream {
  #sent = 0;

  constructor(answer, response, gone) {
    Object.assign(this, { answer, response, gone });
    if (answer.chunking === undefined) return;
    this.random = new Random(answer.chunking);
    this.most = this.random.integer(2, 200); // some streams come in crumbs, some in lumps
  }

  // Whether it goes on.
  async write({ name, data }) {
    const { newline = "\n", comments } = this.answer;
    const lines = [...(comments ? [": comment", ""] : []), ...(name ? [`event: ${name}`] : [])];
    const text = [...lines, `data: ${data}`, "", ""].join(newline);
    const bytes = Buffer.from(text);
    for (const piece of this.random ? this.random.cut(bytes, this.most) : [bytes])
      if (!(await this.#send(piece))) return false;
    return true;
  }

  async #send(bytes) {
    const { truncateAfter, hangAfter, cleanly } = this.answer;
    const end = truncateAfter ?? hangAfter ?? Infinity;
    const part = bytes.subarray(0, Math.max(0, end - this.#sent));
    this.#sent += part.length;
    if (part.length > 0) await this.#flushed(part);
    if (this.#sent < end) return !this.response.destroyed;
    if (truncateAfter !== undefined) {
      if (cleanly) this.response.end();
      else this.response.destroy();
    } else {
      await this.gone;
    }
    return false;
  }

  async #flushed(bytes) {
    const written = new Promise((resolve) => this.response.write(bytes, resolve));
    await Promise.race([written, this.gone]);
    // So that a reader in this process gets the pieces as they were cut.
    if (this.random) await new Promise(setImmediate);
  }
}

function json(response, status, body, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

function fail(api, response, { status, retryAfter, location, message, ...error }) {
  const headers = {};
  if (retryAfter !== undefined) headers["retry-after"] = String(retryAfter);
  if (location !== undefined) headers.location = location;
  const body = APIS[api].errorBody(status, {
    message: message ?? `as scripted: ${status}`,
    ...error,
  });
  json(response, status, body, headers);
}

function lastWords({ conversation }) {
  const { role, text, results } = conversation.messages.at(-1);
  return `${role}: ${JSON.stringify([text, results]).slice(0, 500)}`;
}
