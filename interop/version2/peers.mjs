// Who meets whom in the tests of versions: our programs, the SDK's agents and clients.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

import * as sdk1 from "@agentclientprotocol/sdk";
import * as sdk2 from "@agentclientprotocol/sdk/experimental/v2";

import { within } from "../deadline.mjs";
import { CWD, firstLine } from "../sdk_client.mjs";

const file = (name) => fileURLToPath(new URL(name, import.meta.url));
export const SDK_1 = [process.execPath, file("../sdk_agent.mjs")];
export const SDK_2 = [process.execPath, file("sdk_agent.mjs")];

// What `versions_client` reports of an agent.
export function ourClient(program, versions, prompts, agent, { env, cwd } = {}) {
  const words = [versions, ...prompts, "--", ...agent];
  const run = new Promise((done, fail) =>
    execFile(program, words, { cwd, env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      if (error) fail(new Error(`${words.join(" ")}: ${error.message}\n${stderr}`));
      else done(JSON.parse(stdout));
    }),
  );
  return within(run, "the end of our client", 2);
}

// What the SDK's client of this version says of an agent: the text of a turn, or the error.
export async function sdkClient(version, agent) {
  const sdk = version === 2 ? sdk2 : sdk1;
  const child = spawn(agent[0], agent.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => {});
  const stream = sdk.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  let text = "";
  let idle;
  const ended = new Promise((resolve) => (idle = resolve));
  const app = sdk.client({ name: "versions" }).onNotification("session/update", ({ params }) => {
    const { sessionUpdate, content, state } = params.update;
    if (sessionUpdate === "agent_message_chunk") text += content.text;
    if (state === "idle") idle();
  });
  const info = { name: "versions", version: "1" };
  try {
    const turn = app.connectWith(stream, async (agent) => {
      const start = version === 2 ? { info, capabilities: {} } : { clientCapabilities: {} };
      const answer = await agent.request("initialize", { protocolVersion: version, ...start });
      const { sessionId } = await agent.request("session/new", { cwd: CWD, mcpServers: [] });
      const prompt = [{ type: "text", text: "hello" }];
      await agent.request("session/prompt", { sessionId, prompt });
      if (version === 2) await ended;
      return { version: answer.protocolVersion, text };
    });
    return await within(turn, "a turn");
  } catch (error) {
    return { error };
  } finally {
    child.kill("SIGKILL");
  }
}

// An agent of the SDK behind its server: its address by this transport, and its end.
export async function served(agent, transport) {
  const child = spawn(agent[0], [...agent.slice(1), "serve"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const address = await within(firstLine(child.stdout), "the server's address");
  return {
    url: transport === "ws" ? address.replace("http", "ws") : address,
    async end() {
      const exited = once(child, "exit");
      child.stdin.end();
      await within(exited, "the server's end");
    },
  };
}
