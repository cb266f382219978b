// The npm SDK's draft of version 2 as a client: what its README shows, and nothing around it. Run by
// bench_wire.
//
//   node npm_client2.mjs STEP...    stream N, diff N, reqs N, pipe N: see README.md
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk/experimental/v2";

let updates = 0;
let bytes = 0;
let idle;

function onUpdate({ params: { update } }) {
  if (update.sessionUpdate === "state_update") {
    if (update.state === "idle") idle();
    return;
  }
  ++updates;
  // All texts here are ASCII: as many bytes as characters.
  if (update.sessionUpdate === "agent_message_chunk") bytes += update.content.text.length;
  else bytes += update.content[0].patch.text.length;
}

async function step(agent, sessionId, what, count) {
  const setMode = (value) =>
    agent.request(methods.agent.session.setConfigOption, {
      sessionId,
      configId: "mode",
      type: "id",
      value,
    });
  updates = bytes = 0;
  if (what === "stream" || what === "diff") {
    const ended = new Promise((resolve) => (idle = resolve));
    const text = `${what} ${count}`;
    await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    await ended;
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
      protocolVersion: 2,
      info: { name: "npm", version: "1.0" },
      capabilities: {},
    });
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: "/" });
    const steps = process.argv.slice(2);
    for (let i = 0; i + 1 < steps.length; i += 2) await step(agent, sessionId, steps[i], Number(steps[i + 1]));
  });
process.exit(0);
