// What each row of version 2's table must have. Lists come from the schema where it has them.
import { rowsOf } from "../matrix.mjs";

const tags = (union, tag) =>
  (union.oneOf ?? union.anyOf).flatMap(({ properties }) => properties?.[tag]?.const ?? []);
const names = (union) => (union.oneOf ?? union.anyOf).flatMap(({ const: name }) => name ?? []);

// By both columns; `agent` by the one of our agent alone, `client` by that of our client. What agents
// do on a machine of their own is in tools_test.mjs.
// `remote`: a connection has one attempt to initialize, and nothing on it is no message.
export function expectedOf(defs, remote) {
  const both = new Map(rowsOf(defs).map((row) => [row, []]));
  const agent = new Map();
  const client = new Map();
  const want = (row, ...outcomes) => both.set(row, [...(both.get(row) ?? []), ...outcomes]);

  want("initialize request → agent", "version 2");
  want("auth/login request → agent", "ok", "-32602");
  want("auth/logout request → agent", "ok");
  want("session/new request → agent", "ok", "-32000", "-32602");
  want("session/resume request → agent", "with a replay", "without one", "-32002");
  want("session/list request → agent", "ok", "page");
  want("session/close request → agent", "ok");
  want("session/delete request → agent", "ok");
  want("session/set_config_option request → agent", "id", "boolean", "mode", "-32602", "-32002");
  want("session/prompt request → agent", "inserted", "-32800", "-32002");
  want("tool_call/cancel request → agent", "-32602");
  want("terminal/cancel request → agent", "-32602");
  want("$/cancel_request notification → agent", "session/prompt: -32800", "_echo/wait: -32800");
  const taken_back = ["session/request_permission: -32800", "_client/wait: -32800"];
  want("$/cancel_request notification → client", ...taken_back);
  want("_* request → agent", "ok", "-32601", "-32800", "-31007");
  want("_* request → client", "ok", "-32601", "-31007");
  want("_* notification → agent", "sent");
  want("_* notification → client", "sent");
  want(
    "session/request_permission request → client",
    ...names(defs.PermissionOptionKind),
    ...tags(defs.RequestPermissionOutcome, "outcome").filter((outcome) => outcome !== "selected"),
  );
  for (const mode of tags(defs.CreateElicitationRequest, "mode"))
    for (const action of tags(defs.CreateElicitationResponse, "action"))
      want("elicitation/create request → client", `${mode} ${action}`);
  want("session/update notification → client", ...tags(defs.SessionUpdate, "sessionUpdate"));

  const reasons = tags(defs.IdleStateUpdate, "stopReason").filter((reason) => reason !== "error");
  want("state_update → client", ...tags(defs.StateUpdate, "state"));
  want("state_update → client", ...reasons.map((reason) => `idle ${reason}`));
  want("state_update → client", "idle error -32603", "idle error -31999");
  want("background work → client", ...tags(defs.BackgroundWork, "type"));
  want("tool call status → client", ...names(defs.ToolCallStatus));
  want("tool call content → client", ...tags(defs.ToolCallContent, "type"));
  want("diff → client", ...tags(defs.DiffChange, "operation"));
  want("permission about → client", ...tags(defs.RequestPermissionSubject, "type"));
  want("MCP server → agent", ...tags(defs.McpServer, "type"));
  for (const side of ["agent", "client"])
    for (const type of tags(defs.ContentBlock, "type").filter((name) => name !== "resource"))
      want(`content → ${side}`, type, "resource text", "resource blob");

  const asked = ["session/request_permission", "elicitation/create", "_client/wait"];
  want("session/cancel, when", "while nothing runs", "at work", "a prompt waits");
  want("session/cancel, when", ...asked.map((method) => `in ${method}`));
  want("session/close, when", "while nothing runs", "at work");

  const both_say = ["-32601", "-32602", "-32603", "-32800"];
  want("errors, said by the agent", ...both_say, "-32000", "-32002");
  want("errors, said by the client", "-32601", "-32603", "-32800", "-31007");
  agent.set("session/close, when", ["a prompt waits"]);
  client.set("tool_call/cancel request → agent", ["ok"]);
  client.set("terminal/cancel request → agent", ["ok"]);
  client.set("can be cancelled → client", ["terminal_update", "tool_call_update"]);
  if (!remote) {
    agent.set("initialize request → agent", ["-32600", "-32602", "-32022"]);
    agent.set("errors, said by the agent", ["-32600", "-32022", "-32700 (id null)", "-32600 (id null)"]);
    client.set("initialize request → agent", ["-32022"]);
    client.set("errors, said by the client", ["-32700 (id null)", "-32600 (id null)"]);
  }
  return { both, agent, client };
}

// A whole turn over another transport.
export const WHOLE_TURN = new Map([
  ["initialize request → agent", ["version 2"]],
  ["session/new request → agent", ["ok"]],
  ["session/prompt request → agent", ["inserted"]],
  ["session/request_permission request → client", ["allow_once"]],
  ["elicitation/create request → client", ["form accept"]],
  ["state_update → client", ["running", "idle end_turn", "idle cancelled"]],
  ["session/resume request → agent", ["with a replay"]],
  ["session/close request → agent", ["ok"]],
]);
