// An editor on the official SDK's draft of version 2. Scenarios drive it in version 1's words.
import * as sdk from "@agentclientprotocol/sdk/experimental/v2";

import { within } from "../deadline.mjs";
import { tapped, Transcript } from "../wire.mjs";
import { Editor } from "./editor.mjs";
import { errorOf, questionOf, resultOf, Version1Words } from "./version1_words.mjs";

const METHOD = {
  authenticate: "auth/login",
  logout: "auth/logout",
  "session/load": "session/resume",
  "session/set_mode": "session/set_config_option",
};
// A server without a type is started, in version 1.
const server = (server) => ({ type: "stdio", ...server });

function paramsOf(method, params) {
  if (params.mcpServers) params = { ...params, mcpServers: params.mcpServers.map(server) };
  if (method === "session/load") return { ...params, replayFrom: { type: "start" } };
  if (method === "session/set_config_option")
    return { ...params, type: typeof params.value === "boolean" ? "boolean" : "id" };
  if (method === "session/set_mode")
    return { sessionId: params.sessionId, configId: "mode", type: "id", value: params.modeId };
  return params;
}

export class Version2Editor extends Editor {
  constructor({ capabilities = {}, ...more }) {
    // In version 2 there are neither files nor terminals of the client.
    super({ ...more, capabilities: { session: { notices: {}, compaction: {} } } });
    this.auth = capabilities.auth?.terminal ? { terminal: {} } : undefined;
  }

  connect(readable, writable) {
    this.wire = new Transcript();
    this.words = new Version1Words(this.transcript);
    const both = {
      add: (from, message) => {
        this.wire.add(from, message);
        this.words.add(from, message);
      },
    };
    const { client } = sdk.methods;
    const app = sdk
      .client({ name: "agent-test" })
      .onRequest(client.session.requestPermission, (cx) =>
        this.permissions.answer(questionOf(cx.params), cx),
      )
      .onNotification(client.session.update, () => {});
    return app.connect(tapped(sdk.ndJsonStream(writable, readable), both, "client"));
  }

  async request(method, params, options) {
    const name = METHOD[method] ?? method;
    return resultOf(name, await super.request(name, paramsOf(method, params), options));
  }

  async initialize() {
    this.initialized = await this.request("initialize", {
      protocolVersion: 2,
      capabilities: { auth: this.auth },
      info: { name: "agent-test", version: "1" },
    });
    return this.initialized;
  }

  // Its turn's end.
  async prompt(...args) {
    let messageId;
    try {
      ({ messageId } = await super.prompt(...args));
    } catch (error) {
      if (error.code === -32800) return { stopReason: "cancelled" };
      throw error;
    }
    const gone = this.exited.then(() => Promise.reject(new Error(`the agent ended: ${this.stderr}`)));
    gone.catch(() => {});
    const end = Promise.race([this.words.end(messageId), gone]);
    const { stopReason, error } = await within(end, "the end of a turn");
    if (stopReason !== "error") return { stopReason };
    throw Object.assign(new Error(error.message), errorOf(error));
  }

  // Offline: what complete lines of output said of a session.
  reported(sessionId) {
    const transcript = new Transcript();
    const words = new Version1Words(transcript);
    for (const message of this.messages()) words.add("agent", message);
    return transcript.entries
      .filter(({ message }) => message.params?.sessionId === sessionId && message.params.update)
      .map(({ message }) => message.params.update);
  }
}
