// The texts of the npm SDK as an agent, on both versions of the protocol.
export const chunk = "The quick brown fox jumps over the lazy dog again.";
export const fileBytes = 1024 * 1024;

// The same as file_text() in text.h.
export function fileText() {
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
