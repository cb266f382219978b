// The npm SDK as a client: what its README shows, and nothing around it. Run by bench_wire.
//
//   node npm_client.mjs STEP...    stream N, diff N, reqs N, pipe N: see README.md
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";

let updates = 0;
let bytes = 0;

function onUpdate({ params: { update } }) {
  ++updates;
  // All texts here are ASCII: as many bytes as characters.
  if (update.sessionUpdate === "agent_message_chunk") bytes += update.content.text.length;
  else bytes += update.content[0].newText.length;
}

async function step(agent, sessionId, what, count) {
  const setMode = (modeId) => agent.request(methods.agent.session.setMode, { sessionId, modeId });
  updates = bytes = 0;
  if (what === "stream" || what === "diff") {
    const text = `${what} ${count}`;
    await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  } else if (what === "reqs") {
    for (let i = 0; i < count; ++i) await setMode("code");
  } else if (what === "pipe") {
    let sent = 0;
    const one = async () => {
      while (sent++ < count) await setMode("code");
    };
    await Promise.all(Array.from({ length: 64 }, one));
  } else {
    throw new Error(`unknown step ${what}`);
  }
  await setMode(`done:${updates}:${bytes}`);
}

const stream = ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
await client({ name: "npm" })
  .onNotification(methods.client.session.update, onUpdate)
  .connectWith(stream, async (agent) => {
    await agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: true } },
    });
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: "/", mcpServers: [] });
    const steps = process.argv.slice(2);
    for (let i = 0; i + 1 < steps.length; i += 2) await step(agent, sessionId, steps[i], Number(steps[i + 1]));
  });
process.exit(0);
