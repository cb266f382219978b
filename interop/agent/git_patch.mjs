// Reads a git patch: for each file the texts of its hunks, before and after.
export function textsOf(patch) {
  const files = [];
  let file;
  for (const line of patch.split("\n").slice(0, -1)) {
    if (line.startsWith("diff --git ")) files.push((file = { oldText: "", newText: "", body: false }));
    else if (!file) throw new Error(`a patch begins with ${line}`);
    else if (line.startsWith("@@ ")) file.body = true;
    else if (line.startsWith("new file mode")) file.oldText = null;
    else if (file.body) take(file, line);
  }
  return files.map(({ oldText, newText }) => ({ oldText, newText }));
}

function take(file, line) {
  const [mark, text] = [line[0], line.slice(1)];
  if (mark === "\\") {
    // "No newline at end of file": of the line before.
    for (const side of file.last) file[side] = file[side].slice(0, -1);
    return;
  }
  file.last = { "-": ["oldText"], "+": ["newText"], " ": ["oldText", "newText"] }[mark];
  if (!file.last) throw new Error(`a line in a patch: ${line}`);
  for (const side of file.last) file[side] = (file[side] ?? "") + text + "\n";
}
