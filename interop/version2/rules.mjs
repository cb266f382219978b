// What must hold for every message of ours on version 2, whatever the scenario.
import { shapesOf } from "../rules.mjs";
import { isAnswer } from "../wire.mjs";

// These belong to no turn.
const ANY_TIME = [
  "available_commands_update",
  "config_option_update",
  "session_info_update",
  "usage_update",
  "notice",
];
const idsOf = (background) =>
  (background ?? []).map(({ toolCallId, terminalId }) => toolCallId ?? terminalId);

class Session {
  works = false;
  background = []; // ids of tool calls and terminals that outlive the turn
  resumes = undefined; // the request
  last = undefined; // the last update since then
  echoed = new Set(); // ids of messages of the user
}

// - Nothing but what belongs to no turn stands outside of one: between idle and the next state.
// - A session that is resumed reports its state last, and before the answer.
// - A turn of a session that is closed ends before the answer, as cancelled.
// - What is inserted is sent back, under the id of the answer.
export function orderOf(entries) {
  const problems = [];
  const sessions = new Map();
  const of = (id) => {
    if (!sessions.has(id)) sessions.set(id, new Session());
    return sessions.get(id);
  };
  const open = []; // requests of the client
  const inserted = [];
  const problem = (what, message) => problems.push(`${what}: ${JSON.stringify(message)}`);
  for (const entry of entries) {
    const { from, message } = entry;
    const { method, params } = message;
    if (from === "client" && method !== undefined && "id" in message) {
      open.push(entry);
      if (method === "session/resume") {
        const session = of(params.sessionId);
        session.resumes = entry;
        session.last = undefined;
      }
    } else if (from === "agent" && method === undefined) {
      const at = open.findIndex((request) => isAnswer(message, request));
      if (at < 0 || message.error) continue;
      const [request] = open.splice(at, 1);
      const { sessionId } = request.message.params;
      const session = of(sessionId);
      if (request.message.method === "session/resume") {
        if (session.last !== "state_update") problem("resumed without a state", message);
        session.resumes = undefined;
      }
      if (request.message.method === "session/close" && session.works)
        problem("closed while it works", message);
      if (request.message.method === "session/prompt")
        inserted.push([session, message.result.messageId]);
    } else if (from === "agent" && method === "session/update") {
      const session = of(params.sessionId);
      const { update } = params;
      const { sessionUpdate } = update;
      session.last = sessionUpdate;
      if (sessionUpdate.startsWith("user_message")) session.echoed.add(update.messageId);
      if (sessionUpdate === "state_update") {
        session.works = update.state !== "idle";
        session.background = idsOf(update.background);
        continue;
      }
      const goesOn = session.background.includes(update.toolCallId ?? update.terminalId);
      const belongs = session.works || session.resumes || goesOn;
      if (!belongs && !ANY_TIME.includes(sessionUpdate) && !sessionUpdate.startsWith("user_message"))
        problem("outside of a turn", update);
    }
  }
  for (const [session, id] of inserted)
    if (!session.echoed.has(id)) problems.push(`the message ${id} was not sent back`);
  return problems;
}

// A test writes requests with such ids: they are refused under the id null.
const isMessage = ({ message: { method, id } }) =>
  method === undefined || id === undefined || typeof id === "string" || Number.isInteger(id);
const isOfVersion1 = ({ message: { method, params } }) =>
  method === "initialize" && params.protocolVersion === 1;

// `sdks`: of the two versions; a client asks an agent of version 1 again in its words.
export function problemsOf({ entries }, ours, [version1, version2]) {
  const messages = entries.filter(isMessage);
  const others = messages.filter((entry) => !isOfVersion1(entry));
  const problems = [
    ...shapesOf({ entries: messages.filter(isOfVersion1) }, ours, version1),
    ...shapesOf({ entries: others }, ours, version2),
  ];
  return ours === "agent" ? [...problems, ...orderOf(entries)] : problems;
}
