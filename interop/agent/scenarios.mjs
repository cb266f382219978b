// All scenarios; the longest first, so that two workers end together.
import { scenarios as asking } from "./asking.mjs";
import { scenarios as authentication } from "./authentication.mjs";
import { scenarios as cancel } from "./cancel.mjs";
import { scenarios as commands } from "./commands.mjs";
import { scenarios as content } from "./content.mjs";
import { scenarios as failures } from "./failures.mjs";
import { scenarios as kill } from "./kill.mjs";
import { scenarios as mcp } from "./mcp.mjs";
import { scenarios as modes } from "./modes.mjs";
import { scenarios as process } from "./process.mjs";
import { scenarios as sessions } from "./sessions.mjs";
import { scenarios as stops } from "./stop_reasons.mjs";
import { scenarios as tools } from "./tools.mjs";
import { scenarios as turns } from "./whole_turn.mjs";

export const SCENARIOS = [
  ...kill,
  ...turns,
  ...stops,
  ...failures,
  ...cancel,
  ...tools,
  ...asking,
  ...modes,
  ...commands,
  ...sessions,
  ...content,
  ...authentication,
  ...mcp,
  ...process,
];
