// Which methods were seen, in which direction, with which outcome: read off the wire.
import { isAnswer } from "./wire.mjs";

export const COLUMNS = ["SDK client → our agent", "our client → SDK agent"];

// Those who may handle a message, by the schema's x-side.
const HANDLERS = { agent: ["agent"], client: ["client"], protocol: ["agent", "client"] };

const rowName = (method, kind, handler) => `${method} ${kind} → ${handler}`;

// Every message of the schema has a row for each side that handles it.
export function rowsOf(defs) {
  const rows = [];
  for (const [name, { "x-method": method, "x-side": side }] of Object.entries(defs)) {
    const kind = name.match(/(Request|Notification)$/)?.[0].toLowerCase();
    if (method === undefined || kind === undefined) continue;
    const handlers =
      side === "proxy"
        ? method === "proxy/initialize"
          ? ["agent"]
          : ["agent", "client"]
        : HANDLERS[side];
    for (const handler of handlers) rows.push(rowName(method, kind, handler));
  }
  return rows;
}

const handlerOf = ({ from }) => (from === "client" ? "agent" : "client");

// ---- version 1

// What came of a request, in one word or two.
function resultOf({ message: { method, params } }, result) {
  if (method === "session/prompt") return result.stopReason;
  if (method === "session/request_permission") {
    const chosen = params.options.find(({ optionId }) => optionId === result.outcome.optionId);
    return chosen ? chosen.kind : result.outcome.outcome;
  }
  if (method === "elicitation/create") return `${params.mode} ${result.action}`;
  if (method === "fs/read_text_file") return params.line == null ? "ok" : "ok from a line";
  if (method === "terminal/wait_for_exit") return result.signal ? "signal" : "exit code";
  if (method === "mcp/message") return "error" in result ? "MCP error" : "ok";
  if (method === "session/list") return result.nextCursor == null ? "ok" : "page";
  if (method === "session/set_config_option") return params.type ?? "select";
  return "ok";
}

function updateOf({ method, params }) {
  if (method === "session/update") return params.update.sessionUpdate;
  return method === "auth/status_update" ? params.state : "sent";
}

// More rows: what a message consists of.
function partsOf({ message: { method, params }, from }) {
  const parts = contentOf(method, params).map((type) => [`content → ${handlerOf({ from })}`, type]);
  return [...parts, ...toolContentOf(params).map((type) => ["tool call content → client", type])];
}

// How a version's messages are read: what came of a request, of a notification; what else is in a
// message, and in all that passed on a connection, as [row, outcome].
const VERSION_1 = { resultOf, updateOf, partsOf, eventsOf: () => [] };

const isRequest = ({ message }, id) => "method" in message && "id" in message && message.id === id;

export class Matrix {
  #cells = new Map(); // row → one set of outcomes for each column
  #words;

  constructor(words = VERSION_1) {
    this.#words = words;
  }

  #add(row, column, outcome) {
    if (!this.#cells.has(row)) this.#cells.set(row, [new Set(), new Set()]);
    this.#cells.get(row)[column].add(outcome);
  }

  #outcomeOf(entry, entries) {
    const { message } = entry;
    if (!("id" in message)) {
      if (message.method !== "$/cancel_request") return this.#words.updateOf(message);
      const request = entries.find(
        (e) => e.from === entry.from && isRequest(e, message.params.requestId),
      );
      return request ? `${request.message.method}: ${this.#outcomeOf(request, entries)}` : "of nothing";
    }
    const answer = entries.find((e) => e.from !== entry.from && isAnswer(e.message, entry));
    if (!answer) return "unanswered";
    return answer.message.error
      ? String(answer.message.error.code)
      : this.#words.resultOf(entry, answer.message.result);
  }

  addTranscript(column, { entries }) {
    for (const entry of entries) {
      const { method } = entry.message;
      if (method === undefined) continue;
      const kind = "id" in entry.message ? "request" : "notification";
      const own = method.startsWith("_"); // one row for all extensions
      const outcome = this.#outcomeOf(entry, entries);
      this.#add(rowName(own ? "_*" : method, kind, handlerOf(entry)), column, outcome);
      for (const [row, part] of this.#words.partsOf(entry)) this.#add(row, column, part);
    }
    for (const [row, event] of this.#words.eventsOf(entries)) this.#add(row, column, event);
  }

  outcomes(row, column) {
    return [...(this.#cells.get(row)?.[column] ?? [])];
  }

  // `expected`: row → the outcomes that both columns must have, or those named; an empty list asks for
  // any.
  missing(expected, columns = [0, 1]) {
    const missing = [];
    for (const [row, wanted] of expected)
      columns.forEach((column) => {
        const name = COLUMNS[column];
        const seen = this.outcomes(row, column);
        if (seen.length === 0) missing.push(`${name}: nothing of ${row}`);
        else
          for (const outcome of wanted)
            if (!seen.includes(outcome))
              missing.push(`${name}: ${row} never ended in "${outcome}"`);
      });
    return missing;
  }

  // Rows of the schema in its order, then the others.
  toString(order) {
    const rows = [
      ...order,
      ...[...this.#cells.keys()].filter((row) => !order.includes(row)).sort(),
    ];
    const cell = (row, column) => wrapped(this.outcomes(row, column).sort().join(", ") || "-");
    const lines = [];
    const put = (...parts) =>
      lines.push(
        parts
          .map((part, i) => part.padEnd([WIDTH_OF_NAME, WIDTH, 0][i]))
          .join(" | ")
          .trimEnd(),
      );
    put("method, who handles it", ...COLUMNS);
    put("-".repeat(WIDTH_OF_NAME), "-".repeat(WIDTH), "-".repeat(WIDTH));
    for (const row of rows) {
      const [left, right] = [cell(row, 0), cell(row, 1)];
      for (let i = 0; i < Math.max(left.length, right.length); ++i)
        put(i === 0 ? row : "", left[i] ?? "", right[i] ?? "");
    }
    return lines.join("\n");
  }
}

const WIDTH_OF_NAME = 46;
const WIDTH = 52;

function wrapped(text) {
  const lines = [""];
  for (const part of text.split(/(?<=, )/)) {
    if ((lines.at(-1) + part).trimEnd().length > WIDTH && lines.at(-1)) lines.push("");
    lines[lines.length - 1] += part;
  }
  return lines.map((line) => line.trimEnd());
}

function contentOf(method, params) {
  const kind = (block) =>
    block.type === "resource"
      ? "text" in block.resource
        ? "resource text"
        : "resource blob"
      : block.type;
  if (method === "session/prompt") return (params.prompt ?? []).map(kind);
  if (params?.update?.sessionUpdate === "agent_message_chunk") return [kind(params.update.content)];
  return [];
}

function toolContentOf(params) {
  const { sessionUpdate, content } = params?.update ?? {};
  return /^tool_call/.test(sessionUpdate) ? (content ?? []).map(({ type }) => type) : [];
}
