// What a request says, whichever format it is in.
//   {system, tools: [{name, description, schema}], messages: [{role, text, thoughts, calls, results, media}]}
const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
const blank = (role) => ({ role, text: "", thoughts: [], calls: [], results: [], media: [] });

function openaiContent(message, content) {
  if (typeof content === "string") message.text += content;
  else
    for (const part of content ?? [])
      if (part.type === "text") message.text += part.text;
      else message.media.push(part);
}

function openai({ messages = [], tools = [] }) {
  const read = {
    system: "",
    tools: tools.map(({ function: { name, description, parameters } }) => ({
      name,
      description,
      schema: parameters,
    })),
    messages: [],
  };
  for (const given of messages) {
    if (["system", "developer"].includes(given.role)) {
      read.system += given.content;
      continue;
    }
    const message = blank(given.role === "tool" ? "user" : given.role);
    if (given.role === "tool") {
      const text = blank();
      openaiContent(text, given.content);
      message.results.push({ id: given.tool_call_id, text: text.text });
    } else {
      openaiContent(message, given.content);
      for (const { id, function: f } of given.tool_calls ?? [])
        message.calls.push({ id, name: f.name, arguments: parsed(f.arguments) });
    }
    read.messages.push(message);
  }
  return read;
}

const blocksOf = (content) =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
const textOf = (content) =>
  blocksOf(content)
    .map((block) => block.text ?? "")
    .join("");

function anthropic({ system, messages = [], tools = [] }) {
  return {
    system: textOf(system),
    tools: tools.map(({ name, description, input_schema }) => ({
      name,
      description,
      schema: input_schema,
    })),
    messages: messages.map(({ role, content }) => {
      const message = blank(role);
      for (const block of blocksOf(content)) {
        if (block.type === "text") message.text += block.text;
        else if (block.type === "thinking")
          message.thoughts.push({ text: block.thinking, signature: block.signature });
        else if (block.type === "redacted_thinking")
          message.thoughts.push({ text: "", signature: block.data });
        else if (block.type === "tool_use")
          message.calls.push({ id: block.id, name: block.name, arguments: block.input });
        else if (block.type === "tool_result")
          message.results.push({
            id: block.tool_use_id,
            text: textOf(block.content),
            failed: block.is_error === true,
          });
        else message.media.push(block);
      }
      return message;
    }),
  };
}

export function conversationOf(api, body) {
  const conversation = { openai, anthropic }[api](body);
  const all = (list) => conversation.messages.flatMap((message) => message[list]);
  return {
    ...conversation,
    toolNames: conversation.tools.map(({ name }) => name),
    calls: all("calls"),
    results: all("results"),
    media: all("media"),
    lastResults: lastResults(conversation.messages),
    // What the user said, without what tools did.
    userText: conversation.messages
      .filter(({ role }) => role === "user")
      .map(({ text }) => text)
      .join("\n"),
  };
}

// The results of the newest calls.
function lastResults(messages) {
  const from = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.slice(from + 1).flatMap(({ results }) => results);
}
