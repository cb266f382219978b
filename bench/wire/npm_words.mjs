// The npm SDK as an agent: what its README shows, and nothing around it.
import { setTimeout } from "node:timers/promises";
import { agent, methods } from "@agentclientprotocol/sdk";

const chunk = "The quick brown fox jumps over the lazy dog again.";
const fileBytes = 1024 * 1024;

// The same as file_text() in text.h.
function fileText() {
  const lines = [
    '#include "server/router.h"\n',
    "\n",
    "// Looks the route up by its longest prefix; the table is sorted, the first match is best.\n",
    "std::optional<Route> Router::find(std::string_view path) const {\n",
    "\tfor (const Route& route : routes_) {\n",
    "\t\tif (!path.starts_with(route.prefix)) continue;\n",
    '\t\tlog_.debug("route {} answers {}", route.name, path);\n',
    "\t\treturn route;\n",
    "\t}\n",
    '\tthrow NotFound("no route for " + std::string(path) + "\\n");\n}\n',
  ];
  const once = lines.join("");
  return once.repeat(Math.ceil(fileBytes / once.length)).slice(0, fileBytes);
}

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
