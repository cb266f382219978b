// Answers that both formats must be able to carry, and every fault.
export const TEXT = 'Grüße, 世界! 🦊 said the fox.\nAnd: "data: {}"\\ \u2028 end';
export const THOUGHT = "Hm. Ünd nun? 🤔";

export const CALLS = [
  { name: "read", arguments: { path: "ä b.txt", line: 1 } },
  { name: "grep", arguments: { pattern: '"quoted" \\ 🦊', path: "." } },
  { name: "list", arguments: {} },
];
export const USAGE = { input: 321, output: 45, cached: 20, cacheWritten: 11, thought: 7 };

export const FULL = {
  thought: THOUGHT,
  text: TEXT,
  toolCalls: CALLS,
  usage: USAGE,
  interleaved: true,
};

// Other ways to write the same.
export const WRITINGS = [{}, { newline: "\r\n" }, { comments: true }];
export const SEEDS = 200;
