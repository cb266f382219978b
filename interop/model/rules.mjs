// What the real servers refuse with 400 or 401, so that the test's server does too.
import { conversationOf } from "./conversation.mjs";

function keyProblem(api, headers) {
  if (api === "openai") {
    const { authorization } = headers;
    return authorization === undefined || /^Bearer \S+$/.test(authorization)
      ? undefined
      : "the key is malformed";
  }
  if (!headers["x-api-key"] && !headers.authorization) return "x-api-key header is required";
  if (!headers["anthropic-version"]) return "anthropic-version: header is required";
  return undefined;
}

// Every call is answered in what follows it at once, and nothing else is.
function callProblem(messages) {
  let open = new Set();
  for (const { role, calls, results } of messages) {
    for (const { id } of results)
      if (!open.delete(id)) return `a result for the call ${id}, which is not open`;
    if (role === "assistant" || results.length === 0)
      if (open.size > 0) return `the calls ${[...open]} have no results`;
    if (calls.length > 0) open = new Set(calls.map(({ id }) => id));
  }
  return open.size > 0 ? `the calls ${[...open]} have no results` : undefined;
}

function anthropicProblem({ max_tokens, messages }, seals) {
  if (!(max_tokens > 0)) return "max_tokens: Field required";
  if (messages[0]?.role !== "user") return "messages: first message must use the user role";
  for (const { content } of messages) {
    if (content.length === 0) return "messages: content must not be empty";
    if (typeof content === "string") continue;
    for (const block of content) {
      if (block.type === "text" && block.text === "")
        return "text content blocks must be non-empty";
      const seal = block.signature ?? (block.type === "redacted_thinking" ? block.data : undefined);
      if (block.type === "thinking" && seals.get(block.signature) !== block.thinking)
        return "Invalid `signature` in `thinking` block";
      if (seal !== undefined && !seals.has(seal)) return "an unknown seal of a thought";
    }
  }
  return undefined;
}

// `seals`: signature → the thought that it was given for.
export function problemOf(api, headers, body, seals) {
  const key = keyProblem(api, headers);
  if (key) return { status: 401, message: key };
  const refuse = (message) => message && { status: 400, message };
  if (typeof body?.model !== "string") return refuse("you must provide a model parameter");
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    return refuse("messages: at least one message is required");
  if (body.stream !== true) return refuse("this server only streams");
  const { messages, tools } = conversationOf(api, body);
  for (const { name, schema } of tools) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return refuse(`the tool's name ${name}`);
    if (schema?.type !== "object") return refuse(`the schema of the tool ${name}`);
  }
  if (new Set(tools.map(({ name }) => name)).size < tools.length)
    return refuse("tool names must be unique");
  return refuse(
    callProblem(messages) ?? (api === "anthropic" ? anthropicProblem(body, seals) : undefined),
  );
}
