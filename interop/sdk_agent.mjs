// An agent on the official SDK, for our client to drive: `sdk_agent.mjs [unstable] [require-login]
// [version=N] [careful] [router] [once] [ends-at-2] [error-at-2] [serve]`. One that is `careful` asks
// for files and terminals only where they are offered; with `router` the SDK's protocol router stands
// before it; a second `initialize`, or one for version 2, may be refused, or end it. With `serve` its
// server offers both transports, and says where. The first word of a prompt says what it does; see
// sdk_agent_words.mjs.
import { Readable, Writable } from "node:stream";

import { serve } from "./remote/sdk_server.mjs";
import { answer, isAborted } from "./sdk_agent_words.mjs";

const options = process.argv.slice(2);
const unstable = options.includes("unstable");
const requireLogin = options.includes("require-login");
const version = Number(options.find((o) => o.startsWith("version="))?.slice(8) ?? 1);
const sdk = await import(`@agentclientprotocol/sdk${unstable ? "/unstable" : ""}`);
const { methods, RequestError } = sdk;
const { agent } = methods;

const sessions = new Map(); // id → {id, cwd, title, archived, open, said, modeId, config, turn, queue}
const providers = new Map([
  ["main", undefined],
  ["spare", undefined],
]);
const authMethods = [{ id: "password", name: "Log in" }];
let loggedIn = !requireLogin;
let count = 0;
let initialized = 0;
let offered; // by the client, to a careful agent

// How it takes what a client of version 2 asks.
function begin({ protocolVersion, clientCapabilities }) {
  if (++initialized > 1 && options.includes("once"))
    throw RequestError.invalidRequest(undefined, "initialize was there before");
  if (protocolVersion > 1 && options.includes("ends-at-2")) process.exit(3);
  if (protocolVersion > 1 && options.includes("error-at-2")) throw invalid("protocolVersion");
  if (options.includes("careful")) offered = clientCapabilities ?? {};
}

const modes = (session) => ({
  currentModeId: session.modeId,
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
  ],
});
const configOptions = ({ config }) => [
  {
    id: "model",
    name: "Model",
    type: "select",
    currentValue: config.model,
    options: [
      { value: "small", name: "Small" },
      { value: "large", name: "Large" },
    ],
  },
  { id: "verbose", name: "Verbose", type: "boolean", currentValue: config.verbose },
];
const shape = (session) => ({ modes: modes(session), configOptions: configOptions(session) });

function known(sessionId) {
  const session = sessions.get(sessionId);
  if (!session) throw notFound(sessionId);
  return session;
}
const notFound = (sessionId) => new RequestError(-32002, "Resource not found", { sessionId });
function gate() {
  if (!loggedIn) throw RequestError.authRequired({ authMethods });
}
const invalid = (what) => RequestError.invalidParams({ what });

function newSession(cwd, from = {}) {
  const session = {
    ...{ title: undefined, archived: false, said: [], modeId: "ask" },
    config: { model: "small", verbose: false },
    ...structuredClone(from),
    ...{ id: `s${++count}`, cwd, open: true, turn: undefined, queue: Promise.resolve() },
  };
  sessions.set(session.id, session);
  return session;
}
const kept = ({ title, archived, said, modeId, config }) => ({
  title,
  archived,
  said,
  modeId,
  config,
});

// After the answer that is on its way now.
const commands = (client, sessionId) =>
  setImmediate(() =>
    client.notify("session/update", {
      sessionId,
      update: {
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: "help", description: "Helps" }],
      },
    }),
  );

// Turns of a session wait for each other; session/cancel reaches all of them.
function prompt(cx) {
  const session = known(cx.params.sessionId);
  const turn = { controller: new AbortController() };
  cx.signal.addEventListener("abort", () => turn.controller.abort());
  (session.turns ??= new Set()).add(turn);
  const run = session.queue.then(async () => {
    try {
      turn.controller.signal.throwIfAborted();
      const { signal } = turn.controller;
      const reply = await answer({ cx, sdk, session, signal, offered });
      return turn.controller.signal.aborted ? { stopReason: "cancelled" } : reply;
    } catch (error) {
      if (isAborted(error, turn.controller.signal)) return { stopReason: "cancelled" };
      throw error;
    } finally {
      session.turns.delete(turn);
    }
  });
  session.queue = run.catch(() => {});
  return run;
}
const stop = (session) => {
  for (const { controller } of session.turns ?? []) controller.abort();
};

const app = sdk
  .agent({ name: "sdk-agent" })
  .onRequest(agent.initialize, ({ params }) => {
    begin(params);
    return {
      protocolVersion: version,
      agentInfo: { name: "sdk-agent", version: "2.4.0" },
      authMethods,
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true, ...(unstable && { acp: true }) },
        sessionCapabilities: {
          ...{ list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
          ...(unstable && {
            fork: {},
            archive: {},
            status: {},
            title: {},
            systemPrompt: { mode: {} },
          }),
        },
        auth: { logout: {}, ...(unstable && { status: {} }) },
        ...(unstable && { providers: {} }),
      },
    };
  })
  .onRequest(agent.authenticate, ({ params, client }) => {
    if (params.methodId !== "password") throw invalid("methodId");
    loggedIn = true;
    if (unstable)
      setImmediate(() => client.notify("auth/status_update", { state: "authenticated" }));
  })
  .onRequest(agent.logout, ({ client }) => {
    loggedIn = false;
    if (unstable)
      setImmediate(() => client.notify("auth/status_update", { state: "unauthenticated" }));
  })
  .onRequest(agent.session.new, ({ params, client }) => {
    gate();
    const session = newSession(params.cwd);
    session.servers = params.mcpServers;
    commands(client, session.id);
    return { sessionId: session.id, ...shape(session) };
  })
  .onRequest(agent.session.load, async ({ params, client }) => {
    gate();
    const session = known(params.sessionId);
    session.open = true;
    for (const [sessionUpdate, text] of session.said) {
      const update = { sessionUpdate, content: { type: "text", text } };
      await client.notify("session/update", { sessionId: session.id, update });
    }
    return shape(session);
  })
  .onRequest(agent.session.resume, ({ params }) => {
    gate();
    const session = known(params.sessionId);
    session.open = true;
    return shape(session);
  })
  .onRequest(agent.session.list, ({ params }) => {
    const wanted = params.archived ?? "exclude";
    const all = [...sessions.values()]
      .filter(({ cwd }) => params.cwd == null || cwd === params.cwd)
      .filter(({ archived }) => wanted === "include" || archived === (wanted === "only"));
    const start = Number(params.cursor ?? 0);
    const page = all.slice(start, start + 2).map(({ id, cwd, title, archived }) => ({
      ...{ sessionId: id, cwd, title },
      ...(unstable && { archived }),
    }));
    const next = start + 2;
    return { sessions: page, ...(next < all.length && { nextCursor: String(next) }) };
  })
  .onRequest(agent.session.close, async ({ params }) => {
    const session = known(params.sessionId);
    stop(session);
    await session.queue;
    session.open = false;
  })
  .onRequest(agent.session.delete, ({ params }) => {
    known(params.sessionId);
    sessions.delete(params.sessionId);
  })
  .onRequest(agent.session.setMode, ({ params }) => {
    const session = known(params.sessionId);
    if (!modes(session).availableModes.some(({ id }) => id === params.modeId))
      throw invalid("modeId");
    session.modeId = params.modeId;
  })
  .onRequest(agent.session.setConfigOption, ({ params }) => {
    const session = known(params.sessionId);
    const values = { model: ["small", "large"], verbose: [true, false] }[params.configId];
    if (!values?.includes(params.value)) throw invalid("configId or value");
    session.config[params.configId] = params.value;
    return { configOptions: configOptions(session) };
  })
  .onRequest(agent.session.prompt, prompt)
  .onNotification(agent.session.cancel, ({ params }) => {
    const session = sessions.get(params.sessionId);
    if (session) stop(session);
  })
  .onRequest(
    "_agent/echo",
    (params) => params,
    ({ params }) => params,
  )
  .onRequest(
    "_agent/fail",
    (params) => params,
    () => {
      throw new RequestError(-31007, "a custom error", { deep: { list: [1, null, "x"] } });
    },
  )
  .onRequest(
    "_agent/wait",
    (params) => params,
    ({ signal, client }) => {
      client.notify("_agent/waiting", {});
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          client.notify("_agent/cancelled", {});
          reject(new DOMException("cancelled", "AbortError"));
        });
      });
    },
  )
  .onNotification(
    "_agent/note",
    (params) => params,
    ({ params, client }) => client.notify("_agent/noted", params),
  )
  .onRequest(
    "proxy/initialize",
    (params) => params,
    ({ params }) => params,
  )
  .onRequest(
    "proxy/successor",
    (params) => params,
    ({ params }) => params,
  )
  .onNotification(
    "proxy/successor",
    (params) => params,
    ({ params, client }) => client.notify("_agent/noted", params),
  );

if (unstable)
  app
    .onRequest(agent.auth.status, () => ({ state: loggedIn ? "authenticated" : "unauthenticated" }))
    .onRequest(agent.session.fork, ({ params, client }) => {
      const session = newSession(params.cwd, kept(known(params.sessionId)));
      commands(client, session.id);
      return { sessionId: session.id, ...shape(session) };
    })
    .onRequest(
      agent.session.archive,
      ({ params }) => void (known(params.sessionId).archived = true),
    )
    .onRequest(
      agent.session.unarchive,
      ({ params }) => void (known(params.sessionId).archived = false),
    )
    .onRequest(agent.session.status, ({ params }) => ({
      status: known(params.sessionId).open ? "open" : "saved",
    }))
    .onRequest(agent.session.setTitle, ({ params }) => ({
      title: (known(params.sessionId).title = params.title.trim()),
    }))
    .onRequest(agent.providers.list, () => ({
      providers: [...providers].map(([providerId, current]) => ({
        ...{ providerId, supported: ["anthropic", "openai"], required: providerId === "main" },
        current: current ?? null,
      })),
    }))
    .onRequest(agent.providers.set, ({ params: { providerId, apiType, baseUrl } }) => {
      if (!providers.has(providerId)) throw invalid("providerId");
      providers.set(providerId, { apiType, baseUrl });
    })
    .onRequest(agent.providers.disable, ({ params }) => {
      if (params.providerId === "main") throw invalid("providerId");
      providers.set(params.providerId, undefined);
    })
    .onNotification(agent.mcp.message, ({ params, client }) =>
      client.notify("_agent/noted", { serverId: params.serverId, method: params.method }),
    );

const { agentProtocolRouter } = options.includes("router")
  ? await import("@agentclientprotocol/sdk/experimental/v2")
  : {};
const all = agentProtocolRouter ? agentProtocolRouter().withV1(app) : app;
if (options.includes("serve")) {
  console.log(await serve(all));
  process.stdin.on("end", () => process.exit(0)).resume();
} else {
  const connection = all.connect(
    sdk.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)),
  );
  await connection.closed;
  process.exit(0);
}
