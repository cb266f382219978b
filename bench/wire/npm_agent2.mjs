// The npm SDK's draft of version 2 as an agent on its pipes: what its README shows, and nothing around
// it. Run by bench_wire.
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream } from "@agentclientprotocol/sdk/experimental/v2";

import { chunk, fileText } from "./npm_text.mjs";

// The same as patch_text() in text.h.
function patchText() {
  const file = fileText();
  const lines = file.split("\n");
  const ends = lines.at(-1) === "";
  if (ends) lines.pop();
  const head = "diff --git /big.txt /big.txt\nnew file mode 100644\n--- /dev/null\n+++ /big.txt\n";
  const hunk = `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join("")}`;
  return head + hunk + (ends ? "" : "\\ No newline at end of file\n");
}

let sessions = 0;
let messages = 0;
let patch;

const configOptions = [
  {
    type: "select",
    configId: "mode",
    name: "Mode",
    category: "mode",
    currentValue: "code",
    options: [
      { value: "ask", name: "Ask" },
      { value: "code", name: "Code" },
    ],
  },
];

async function work({ params, client }, messageId) {
  const { sessionId } = params;
  const update = (update) => client.notify(methods.client.session.update, { sessionId, update });
  const [what, count] = params.prompt[0].text.split(" ");
  await update({ sessionUpdate: "user_message", messageId, content: params.prompt });
  await update({ sessionUpdate: "state_update", state: "running" });
  const id = `msg_${++messages}`;
  for (let i = 0; i < Number(count); ++i) {
    if (what === "stream") {
      const content = { type: "text", text: chunk };
      await update({ sessionUpdate: "agent_message_chunk", messageId: id, content });
    } else if (what === "diff") {
      patch ??= { format: "git_patch", text: patchText() };
      const changes = [{ operation: "add", path: "/big.txt" }];
      const content = [{ type: "diff", changes, patch }];
      await update({ sessionUpdate: "tool_call_update", toolCallId: "call_1", content });
    }
  }
  await update({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
}

agent({ name: "npm" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 2,
    info: { name: "npm", version: "1.0" },
    capabilities: { session: {} },
  }))
  .onRequest(methods.agent.session.new, () => ({
    sessionId: "sess_4f1c9a7be0d243668" + (1000 + sessions++),
    configOptions,
  }))
  .onRequest(methods.agent.session.setConfigOption, () => ({ configOptions }))
  .onRequest(methods.agent.session.prompt, (cx) => {
    const messageId = `msg_${++messages}`;
    setImmediate(() => work(cx, messageId)); // after the answer
    return { messageId };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
