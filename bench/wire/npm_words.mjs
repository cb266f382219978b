// The npm SDK as an agent: what its README shows, and nothing around it.
import { setTimeout } from "node:timers/promises";
import { agent, methods } from "@agentclientprotocol/sdk";

import { chunk, fileBytes, fileText } from "./npm_text.mjs";

let sessions = 0;
let file;

async function prompt({ params, client }) {
  const { sessionId } = params;
  const [what, count, pause] = params.prompt[0].text.split(" ");
  let next = performance.now();
  for (let i = 0; i < Number(count); ++i) {
    if (what === "stream") {
      await client.notify(methods.client.session.update, {
        sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: chunk } },
      });
    } else if (what === "diff") {
      file ??= fileText();
      await client.notify(methods.client.session.update, {
        sessionId,
        update: {
          sessionUpdate: "tool_call_update",
          toolCallId: "call_1",
          content: [{ type: "diff", path: "/big.txt", oldText: null, newText: file }],
        },
      });
    } else if (what === "read") {
      const { content } = await client.request(methods.client.fs.readTextFile, {
        sessionId,
        path: "/big.txt",
      });
      if (content.length !== fileBytes) throw new Error("short file");
    } else if (what === "tick") {
      next += Number(pause);
      await setTimeout(Math.max(0, next - performance.now()));
      const text = `${i} ${process.hrtime.bigint()}`;
      await client.notify(methods.client.session.update, {
        sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      });
    }
  }
  return { stopReason: "end_turn" };
}

export const app = agent({ name: "npm" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, () => ({
    sessionId: "sess_4f1c9a7be0d243668" + (1000 + sessions++),
  }))
  .onRequest(methods.agent.session.setMode, () => ({}))
  .onRequest(methods.agent.session.prompt, prompt);
