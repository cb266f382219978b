// The scenarios that version 2 has no place for, and why. only_version2.mjs has what takes their place.
import { WITH_CAPABILITIES } from "./whole_turn.mjs";

export const OF_VERSION_1 = {
  ...Object.fromEntries(WITH_CAPABILITIES.map((name) => [name, "files or terminals of the client"])),
  "429 is a message where the client takes no notices": "each client takes notices",
  "a question answered `cancelled` ends the turn: cancelled": "the answer only means: not approved",
  "session/set_model, which the protocol no longer has, sets the model's config option":
    "an extension for clients of version 1",
  "initialize: what the agent says it can": "names its own",
  "MCP: servers over HTTP and over SSE": "there is no SSE",
  "$/cancel_request of a prompt: stop reason cancelled": "a prompt is answered before its turn",
};
