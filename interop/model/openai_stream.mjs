// An answer in the format of OpenAI's chat completions, as a list of events.
const FINISH = { end: "stop", tool_calls: "tool_calls", max_tokens: "length" };

const finishReason = ({ stop, refusal }) =>
  stop === "refusal" ? (refusal ? "stop" : "content_filter") : (FINISH[stop] ?? stop);

export function usageOf({ input, output, cached = 0, thought = 0 }) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: thought, audio_tokens: 0 },
  };
}

// The arguments of all calls come piece by piece, a piece of one, then a piece of another.
function* argumentDeltas(calls, random) {
  const rest = calls.map((call, index) => ({ index, pieces: random.cut(call.arguments, 7) }));
  const open = () => rest.filter(({ pieces }) => pieces.length > 0);
  for (let left = open(); left.length > 0; left = open()) {
    const { index, pieces } = left[random.integer(0, left.length - 1)];
    yield { tool_calls: [{ index, function: { arguments: pieces.shift() } }] };
  }
}

function* deltas(answer, { random, words }) {
  yield { role: "assistant", content: "" };
  for (const reasoning_content of words(answer.thought)) yield { reasoning_content };
  for (const content of words(answer.text)) yield { content };
  for (const refusal of words(answer.refusal)) yield { refusal };
  const calls = answer.toolCalls;
  const begin = ({ id, name }, index) => ({
    tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }],
  });
  if (answer.interleaved) {
    yield* calls.map(begin);
    yield* argumentDeltas(calls, random);
  } else {
    for (const [index, call] of calls.entries()) {
      yield begin(call, index);
      for (const piece of random.cut(call.arguments, 7))
        yield { tool_calls: [{ index, function: { arguments: piece } }] };
    }
  }
}

// {data, content}: `content` tells the events that carry a piece of the answer from the frame.
export function* events(answer, body, how) {
  const withUsage = body.stream_options?.include_usage === true;
  const chunk = (choices, more) => ({
    id: `chatcmpl-${how.number}`,
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: body.model,
    choices,
    ...(withUsage ? { usage: null } : {}),
    ...more,
  });
  const choice = (delta, finish_reason = null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason }]);
  let frame = true; // the first says only who speaks
  for (const delta of deltas(answer, how)) {
    yield { data: JSON.stringify(choice(delta)), content: !frame };
    frame = false;
  }
  yield { data: JSON.stringify(choice({}, finishReason(answer))) };
  if (withUsage) yield { data: JSON.stringify(chunk([], { usage: usageOf(answer.usage) })) };
  yield { data: "[DONE]" };
}

export function errorBody(status, { message, type, code = null }) {
  const types = { 401: "invalid_request_error", 429: "rate_limit_exceeded" };
  const usual = types[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
  return { error: { message, type: type ?? usual, param: null, code } };
}

export const errorEvent = (error) => ({ data: JSON.stringify(errorBody(500, error)) });

export const models = (names) => ({
  object: "list",
  data: names.map((id) => ({ id, object: "model", created: 1_700_000_000, owned_by: "tests" })),
});
