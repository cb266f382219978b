// Ways to look at a list of updates.
const textOf = (updates, kind) =>
  updates
    .filter(({ sessionUpdate }) => sessionUpdate === kind)
    .map(({ content }) => content.text ?? "")
    .join("");

export const said = (updates) => textOf(updates, "agent_message_chunk");
export const thought = (updates) => textOf(updates, "agent_thought_chunk");
export const of = (updates, kind) => updates.filter(({ sessionUpdate }) => sessionUpdate === kind);

// What the agent told a person beside its answer: as a notice, or in words.
export const told = (updates) =>
  said(updates) +
  of(updates, "notice")
    .map(({ title, description }) => `${title} ${description ?? ""}`)
    .join("\n");

// Tool calls as they stood in the end, with every status they had.
export function toolCalls(updates) {
  const calls = new Map();
  for (const { sessionUpdate, ...update } of updates) {
    if (!/^tool_call/.test(sessionUpdate)) continue;
    const call = calls.get(update.toolCallId) ?? { statuses: [] };
    calls.set(update.toolCallId, call);
    const status = update.status ?? (sessionUpdate === "tool_call" ? "pending" : undefined);
    if (status && call.statuses.at(-1) !== status) call.statuses.push(status);
    for (const [name, value] of Object.entries(update)) if (value != null) call[name] = value;
  }
  return [...calls.values()];
}

export const contents = (call, type) => (call.content ?? []).filter((each) => each.type === type);
export const contentText = (call) =>
  contents(call, "content")
    .map(({ content }) => content.text ?? "")
    .join("");

// A conversation as it reads: messages, thoughts, tool calls and plans in order. Chunks that follow
// each other are one; a tool call stands where it began, and is as it was in the end.
export function story(updates) {
  const items = [];
  const calls = new Map(toolCalls(updates).map((call) => [call.toolCallId, call]));
  const kinds = {
    user_message_chunk: "user",
    agent_message_chunk: "agent",
    agent_thought_chunk: "thought",
  };
  const seen = new Set();
  for (const update of updates) {
    const kind = kinds[update.sessionUpdate];
    const last = items.at(-1);
    if (kind && update.content.type === "text" && last?.kind === kind && last.text !== undefined)
      last.text += update.content.text;
    else if (kind && update.content.type === "text")
      items.push({ kind, text: update.content.text });
    else if (kind) items.push({ kind, content: update.content });
    else if (/^tool_call/.test(update.sessionUpdate) && !seen.has(update.toolCallId)) {
      seen.add(update.toolCallId);
      items.push({ kind: "tool", call: calls.get(update.toolCallId) });
    } else if (update.sessionUpdate === "plan") {
      items.push({ kind: "plan", entries: update.entries });
    }
  }
  return items;
}
