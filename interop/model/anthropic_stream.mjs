// An answer in the format of Anthropic's messages, as a list of events.
const STOP = { end: "end_turn", tool_calls: "tool_use" };

function usageOf({ input, output, cached = 0, cacheWritten = 0 }) {
  return {
    input_tokens: input - cached - cacheWritten,
    cache_creation_input_tokens: cacheWritten,
    cache_read_input_tokens: cached,
    output_tokens: output,
  };
}

// [block as it begins, its deltas]
function* blocks(answer, { random, words }) {
  if (answer.redacted) yield [{ type: "redacted_thinking", data: answer.redacted }, []];
  if (answer.thought)
    yield [
      { type: "thinking", thinking: "", signature: "" },
      [
        ...words(answer.thought).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: answer.signature },
      ],
    ];
  const text = (answer.text ?? "") + (answer.refusal ?? "");
  if (text)
    yield [
      { type: "text", text: "" },
      words(text).map((piece) => ({ type: "text_delta", text: piece })),
    ];
  for (const { id, name, arguments: json } of answer.toolCalls)
    yield [
      { type: "tool_use", id, name, input: {} },
      ["", ...random.cut(json, 7)].map((partial_json) => ({
        type: "input_json_delta",
        partial_json,
      })),
    ];
}

const event = (data, content = false) => ({ name: data.type, data: JSON.stringify(data), content });

export function* events(answer, body, how) {
  const usage = usageOf(answer.usage);
  yield event({
    type: "message_start",
    message: {
      id: `msg_${how.number}`,
      type: "message",
      role: "assistant",
      model: body.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1 },
    },
  });
  yield event({ type: "ping" });
  let index = 0;
  for (const [content_block, deltas] of blocks(answer, how)) {
    // The start of a tool's call is content: it says which tool.
    const named = content_block.type === "tool_use";
    yield event({ type: "content_block_start", index, content_block }, named);
    for (const delta of deltas) yield event({ type: "content_block_delta", index, delta }, true);
    yield event({ type: "content_block_stop", index });
    ++index;
  }
  const stop_reason = STOP[answer.stop] ?? answer.stop;
  yield event({
    type: "message_delta",
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: usage.output_tokens },
  });
  yield event({ type: "message_stop" });
}

const ERRORS = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

export function errorBody(status, { message, type }) {
  return { type: "error", error: { type: type ?? ERRORS[status] ?? "api_error", message } };
}

export const errorEvent = (error) =>
  event(errorBody(529, { message: error.message, type: error.type }));

export const models = (names) => ({
  data: names.map((id) => ({
    type: "model",
    id,
    display_name: id,
    created_at: "2026-01-01T00:00:00Z",
  })),
  has_more: false,
  first_id: names[0] ?? null,
  last_id: names.at(-1) ?? null,
});
