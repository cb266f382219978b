// Waiting for a line of a program's output.

// The match of the first line that fits. What follows is read and dropped.
export function lineThat(stream, pattern) {
  let text = "";
  return new Promise((resolve, reject) => {
    stream.on("data", (piece) => {
      if (text === undefined) return;
      text += piece;
      const found = text.split("\n").map((line) => line.match(pattern)).find(Boolean);
      if (!found) return;
      text = undefined;
      resolve(found);
    });
    stream.on("end", () => reject(new Error(`it ended without ${pattern}: ${text}`)));
  });
}
