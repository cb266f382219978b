// What each row of the matrix must have in both columns. Lists come from the schema where it has them.
import { rowsOf } from "./matrix.mjs";

const tags = (union, tag) =>
  union.oneOf.flatMap(({ properties }) => properties?.[tag]?.const ?? []);
const names = ({ oneOf }) => oneOf.flatMap(({ const: name }) => name ?? []);

// `remote`: a connection has one attempt to initialize.
export function expectedOf(defs, remote) {
  const expected = new Map(rowsOf(defs).map((row) => [row, []]));
  const want = (row, ...outcomes) => expected.set(row, [...(expected.get(row) ?? []), ...outcomes]);
  const errors = {
    "authenticate request → agent": ["ok", "-32602"],
    "initialize request → agent": remote ? ["ok"] : ["ok", "-32602"],
    "session/new request → agent": ["ok", "-32000"],
    "session/prompt request → agent": ["-32002", "-32603", "-31999"],
    "session/load request → agent": ["ok", "-32002"],
    "session/resume request → agent": ["ok", "-32002"],
    "session/fork request → agent": ["ok", "-32002"],
    "session/set_mode request → agent": ["ok", "-32602", "-32002"],
    "session/set_config_option request → agent": ["select", "boolean", "-32602", "-32002"],
    "session/list request → agent": ["ok", "page"],
    "providers/set request → agent": ["ok", "-32602"],
    "providers/disable request → agent": ["ok", "-32602"],
    "fs/read_text_file request → client": ["ok", "ok from a line", "-32002", "-32800"],
    "terminal/wait_for_exit request → client": ["exit code", "signal", "-32800"],
    "mcp/message request → client": ["ok", "MCP error"],
    "$/cancel_request notification → agent": ["session/prompt: cancelled"],
    "$/cancel_request notification → client": [
      "fs/read_text_file: -32800",
      "elicitation/create: -32800",
    ],
    "_* request → agent": ["ok", "-32601", "-32800"],
    "_* request → client": ["ok", "-32601", "-31007"],
    "_* notification → agent": ["sent"],
    "_* notification → client": ["sent"],
  };
  for (const [row, outcomes] of Object.entries(errors)) want(row, ...outcomes);
  want("session/prompt request → agent", ...names(defs.StopReason));
  want(
    "session/request_permission request → client",
    ...names(defs.PermissionOptionKind),
    "cancelled",
  );
  want("session/update notification → client", ...tags(defs.SessionUpdate, "sessionUpdate"));
  for (const mode of ["form", "url"])
    for (const action of ["accept", "decline", "cancel"])
      want("elicitation/create request → client", `${mode} ${action}`);
  for (const side of ["agent", "client"])
    for (const type of tags(defs.ContentBlock, "type").filter((name) => name !== "resource"))
      want(`content → ${side}`, type, "resource text", "resource blob");
  want("tool call content → client", ...tags(defs.ToolCallContent, "type"));
  return expected;
}
