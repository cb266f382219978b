// JSON text of a value, in the usual spelling or in one that is rare and right.

// An integer is written with all its digits, as a peer with 64-bit integers would.
function number(value) {
  return Number.isInteger(value) && Math.abs(value) <= 2 ** 64
    ? String(BigInt(value))
    : String(value);
}

export function write(value) {
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${write(member)}`,
  );
  return `{${members.join(",")}}`;
}

// Blanks, escapes, exponents, members in reverse order, and members that stand there twice (the last
// one counts).
export function writeOddly(value, random) {
  const odd = (inner) => writeOddly(inner, random);
  if (typeof value === "number")
    return Math.abs(value) < 2 ** 40 ? oddNumber(value, random) : number(value);
  if (typeof value === "string")
    return `"${Array.from(value, (char) => oddChar(char, random)).join("")}"`;
  if (Array.isArray(value)) return `[ ${value.map(odd).join(" ,\r\t")} ]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value)
    .reverse()
    .flatMap(([key, member]) => {
      const wrong = random.chance(0.3)
        ? [`${odd(key)}:${odd(random.pick([null, 7.5, "text", {}, [null]]))}`]
        : [];
      return [...wrong, `${odd(key)} : ${odd(member)}`];
    });
  return `{ ${members.join(" , ")} }`;
}

function oddNumber(value, random) {
  if (!Number.isInteger(value)) return String(value);
  return random.pick([
    `${value}.0`,
    `${value}e0`,
    `${value}.00E+0`,
    value === 0 ? "0e-7" : `${value}0e-1`,
  ]);
}

function oddChar(char, random) {
  if (random.chance(0.5)) return JSON.stringify(char).slice(1, -1);
  return char
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
