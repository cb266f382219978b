// What passes on a connection of version 2, told in version 1's words: scenarios are written once.
// Written from the list of differences, not from the library: it is the other reading of it.
import { textsOf } from "./git_patch.mjs";

const yes = (marker) => marker !== undefined && marker !== null;

const methodsOf = (methods) => methods.map(({ methodId, ...more }) => ({ id: methodId, ...more }));

const initialized = ({ protocolVersion, info, capabilities, authMethods = [] }) => ({
  protocolVersion,
  agentInfo: info,
  agentCapabilities: {
    loadSession: yes(capabilities.session),
    promptCapabilities: {
      image: yes(capabilities.session?.prompt?.image),
      audio: yes(capabilities.session?.prompt?.audio),
      embeddedContext: yes(capabilities.session?.prompt?.embeddedContext),
    },
    mcpCapabilities: { http: yes(capabilities.session?.mcp?.http) },
    auth: authMethods.length > 0 ? { logout: {} } : {},
  },
  authMethods: methodsOf(authMethods),
});

// An error's data may list them.
export function errorOf(error) {
  if (!error?.data?.authMethods) return error;
  return { ...error, data: { ...error.data, authMethods: methodsOf(error.data.authMethods) } };
}

const optionsOf = (options) => options.map(({ configId, ...more }) => ({ id: configId, ...more }));
const commandsOf = (commands) =>
  commands.map(({ type: _, input, ...more }) => ({
    ...more,
    ...(input ? { input: { hint: input.hint } } : {}),
  }));

function opened({ configOptions = [], availableCommands: _, ...more }) {
  const mode = configOptions.find(({ category }) => category === "mode");
  const modes = mode && {
    currentModeId: mode.currentValue,
    availableModes: mode.options.map(({ value, name, description }) => ({
      id: value,
      name,
      description,
    })),
  };
  return { ...more, configOptions: optionsOf(configOptions), ...(modes ? { modes } : {}) };
}

// The result of a request, which is named by version 2.
export function resultOf(method, result) {
  if (method === "initialize") return initialized(result);
  if (["session/new", "session/resume", "session/fork"].includes(method)) return opened(result);
  if (method === "session/set_config_option")
    return { ...result, configOptions: optionsOf(result.configOptions) };
  return result;
}

function contentOf(content) {
  if (content.type !== "diff") return [content];
  const texts = textsOf(content.patch?.text ?? "");
  return content.changes.map(({ path }, i) => ({ type: "diff", path, ...texts[i] }));
}
const STATUS = { paused: "in_progress", cancelled: "failed" };
function callOf({ content, status, capabilities: _, ...call }) {
  if (content) call.content = content.flatMap(contentOf);
  else if (content === null) call.content = [];
  if (status) call.status = STATUS[status] ?? status;
  return call;
}

// A question about a tool call or a command.
export function questionOf({ title, description, subject, ...more }) {
  const { toolCall, ...command } = subject ?? {};
  const call = toolCall ? callOf(toolCall) : { ...command, kind: "execute" };
  return { ...more, title, description, toolCall: call };
}

// One session's updates, in order.
class Updates {
  #calls = new Map(); // id → content so far
  #modeId;

  of(update, { prompting }) {
    const { sessionUpdate: kind } = update;
    if (/^(user|agent)_(message|thought)$/.test(kind)) return this.#message(update, prompting);
    if (kind === "tool_call_update") return this.#call(update);
    if (kind === "tool_call_content_chunk") return this.#piece(update);
    if (kind === "plan_update" && update.plan.type === "items")
      return [{ sessionUpdate: "plan", entries: update.plan.entries }];
    if (kind === "available_commands_update")
      return [{ ...update, availableCommands: commandsOf(update.availableCommands) }];
    if (kind === "config_option_update") return this.#options(update);
    if (["state_update", "terminal_update", "terminal_output_chunk"].includes(kind)) return [];
    return [update];
  }

  opened({ configOptions = [] }) {
    this.#modeId = configOptions.find(({ category }) => category === "mode")?.currentValue;
  }

  // What a prompt's own client has said is echoed to it.
  #message({ sessionUpdate, messageId, content }, prompting) {
    if (sessionUpdate === "user_message" && prompting) return [];
    return (content ?? []).map((each) => ({
      sessionUpdate: `${sessionUpdate}_chunk`,
      messageId,
      content: each,
    }));
  }

  #call(update) {
    const isNew = !this.#calls.has(update.toolCallId);
    const call = callOf(update);
    if (isNew || call.content) this.#calls.set(update.toolCallId, call.content ?? []);
    return [isNew ? { ...call, sessionUpdate: "tool_call" } : call];
  }

  #piece({ toolCallId, content }) {
    const all = [...(this.#calls.get(toolCallId) ?? []), ...contentOf(content)];
    this.#calls.set(toolCallId, all);
    return [{ sessionUpdate: "tool_call_update", toolCallId, content: all }];
  }

  #options({ configOptions }) {
    const before = this.#modeId;
    this.opened({ configOptions });
    const changed = before !== undefined && before !== this.#modeId;
    const mode = { sessionUpdate: "current_mode_update", currentModeId: this.#modeId };
    const options = { sessionUpdate: "config_option_update", configOptions: optionsOf(configOptions) };
    return changed ? [mode, options] : [options];
  }
}

// Takes what passes, and writes it into a transcript as version 1 would have said it. A prompt has its
// answer when its turn has ended.
export class Version1Words {
  #sessions = new Map(); // id → {updates, prompts: requests that were inserted and go on}
  #requests = new Map(); // id → the client's request
  #ends = new Map(); // messageId → what waits for the end of its turn

  constructor(transcript) {
    this.transcript = transcript;
  }

  add(from, message) {
    if (from === "client") this.#sent(message);
    else if (message.method === "session/update") this.#updated(message);
    else if (message.method === "session/request_permission")
      this.transcript.add(from, { ...message, params: questionOf(message.params) });
    else if (message.method !== undefined) this.transcript.add(from, message);
    else this.#answered(message);
  }

  // How the turn ends that a message has begun: its `state_update`.
  end(messageId) {
    return new Promise((resolve) => this.#end(messageId, { resolve }));
  }

  #session(id) {
    if (!this.#sessions.has(id)) this.#sessions.set(id, { updates: new Updates(), prompts: [] });
    return this.#sessions.get(id);
  }

  #sent(message) {
    if (message.id !== undefined && message.method !== undefined)
      this.#requests.set(message.id, message);
    const replays = message.method === "session/resume" && message.params.replayFrom;
    this.transcript.add("client", replays ? { ...message, method: "session/load" } : message);
  }

  #answered(message) {
    const { id, result, error } = message;
    const { method, params } = this.#requests.get(id) ?? {};
    if (method === "session/prompt" && error?.code === -32800)
      return this.#say(id, { result: { stopReason: "cancelled" } });
    if (!result || method === undefined) return this.transcript.add("agent", message);
    if (method === "session/prompt") {
      this.#session(params.sessionId).prompts.push({ id, messageId: result.messageId });
      return;
    }
    this.#say(id, { result: resultOf(method, result) });
    const sessionId = result.sessionId ?? params?.sessionId;
    if (["session/new", "session/resume", "session/fork"].includes(method)) {
      this.#session(sessionId).updates.opened(result);
      if (result.availableCommands) {
        const commands = commandsOf(result.availableCommands);
        const update = { sessionUpdate: "available_commands_update", availableCommands: commands };
        this.#update({ sessionId }, update);
      }
    } else if (method === "session/close") {
      this.#sessions.delete(sessionId);
    }
  }

  #updated({ params }) {
    const { sessionId, update } = params;
    const { updates, prompts } = this.#session(sessionId);
    const prompting = [...this.#requests.values()].some(
      (each) => each.method === "session/prompt" && each.params.sessionId === sessionId,
    );
    for (const each of updates.of(update, { prompting })) this.#update(params, each);
    if (update.sessionUpdate !== "state_update" || update.state !== "idle") return;
    const prompt = prompts.shift();
    if (!prompt) return;
    const { stopReason, error } = update;
    this.#say(prompt.id, stopReason === "error" ? { error: errorOf(error) } : { result: { stopReason } });
    this.#requests.delete(prompt.id);
    this.#end(prompt.messageId, { update });
  }

  #end(messageId, { resolve, update }) {
    const end = { ...this.#ends.get(messageId), ...(resolve ? { resolve } : { update }) };
    this.#ends.set(messageId, end);
    if (end.resolve && end.update) end.resolve(end.update);
  }

  #say(id, rest) {
    this.transcript.add("agent", { jsonrpc: "2.0", id, ...rest });
  }
  #update(params, update) {
    const message = { jsonrpc: "2.0", method: "session/update", params: { ...params, update } };
    this.transcript.add("agent", message);
  }
}
