// One change to a valid value, at a place that has a schema. Most make it invalid; all are worth an
// opinion.
import { armsOf, RANGES } from "./values.mjs";

const OTHERS = [true, 0, 7.5, "text", "", [], {}, ["text"], [null], { name: "text" }];
const NEW_NAMES = ["_unheard", "unheard", ""];
const BAD_FORMATS = {
  uri: [
    "", "text", "/a/b", "a b", "http://", "https://exa mple.com", "http://例え.jp/ü", "file:",
    "1http://x", "a:b c", "http://x/%zz", "http://x:99999/", "HTTP://X", "mailto:a@b", "c:\\a",
    "http://[x]/", "https://x/{a}|b",
  ],
  "date-time": [
    "", "text", "2026-11-14", "2026-11-14T10:45:00", "2026-13-01T00:00:00Z", "2023-02-29T00:00:00Z",
    "2026-11-14 10:45:00Z", "2026-11-14t10:45:00z", "2026-11-14T24:00:00Z", "2026-11-14T23:59:60Z",
    "2026-11-14T10:45Z", "2026-11-14T10:45:00+0200", "2026-11-14T10:45:00+25:00",
    "2026-11-14T10:45:00.Z", "2026-11-14T10:45:00-00:00", "2026-11-14T10:45:00,5Z",
    "2026-11-14T10:45:00+02",
  ],
  regex: ["(", "[z-a]", "a{2,1}", "\\"],
};

const typeOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
const isEnum = (schema) => armsOf(schema)?.some((arm) => "const" in arm);
const taggedUnion = (place) => place.unions?.find((union) => union.tag);

// The tags that the value at this place could have, but has not.
function otherTags(place) {
  const union = taggedUnion(place);
  const tag = (arm) => arm.properties?.[union.tag]?.const;
  return (union?.arms ?? [])
    .map(tag)
    .filter((known) => known !== undefined && known !== tag(union.arm));
}

function outOfRange({ type, format, minimum, maximum }) {
  const [lowest, highest] = type === "integer" ? RANGES[format] : [-Infinity, Infinity];
  const beyond = [
    Math.max(lowest, minimum ?? lowest) - 1,
    Math.min(highest, maximum ?? highest) + 1,
  ];
  return [...beyond.filter(Number.isSafeInteger), -(2 ** 64), 2 ** 63, 2 ** 64, 1e300];
}

// Each kind: which places it is for, and what it puts there (undefined: nothing).
const KINDS = {
  "wrong type": [
    ({ schema }) => schema.type || armsOf(schema),
    (value, place, random) =>
      random.pick(OTHERS.filter((other) => typeOf(other) !== typeOf(value))),
  ],
  null: [({ schema, nullable }) => !nullable && (schema.type || armsOf(schema)), () => null],
  missing: [({ required }) => required, () => undefined],
  "unknown name": [
    ({ schema, tagged }) => !tagged && isEnum(schema),
    (value, place, random) => (typeof value === "number" ? -32099 : random.pick(NEW_NAMES)),
  ],
  "unknown tag": [({ tagged }) => tagged, (value, place, random) => random.pick(NEW_NAMES)],
  "tag of another arm": [
    (place) => otherTags(place).length > 0,
    (value, place, random) => ({
      ...value,
      [taggedUnion(place).tag]: random.pick(otherTags(place)),
    }),
  ],
  "members of another arm": [
    ({ unions }) => unions?.some((union) => !union.tag),
    (value, place, random, another) => ({ ...another(), ...value }),
  ],
  "out of range": [
    ({ schema }) => schema.type === "integer" || schema.type === "number",
    (value, { schema }, random) => random.pick(outOfRange(schema)),
  ],
  fraction: [
    ({ schema }) => schema.type === "integer",
    (value, place, random) => random.pick([0.5, -1.5, 1e-7]),
  ],
  "bad item": [
    ({ schema }) => schema.type === "array",
    (value, place, random) =>
      value.toSpliced(random.below(3), 0, random.pick([null, 7.5, {}, [], "text"])),
  ],
  "empty array": [({ schema }) => schema.type === "array", () => []],
  "empty text": [({ schema }) => schema.minLength, () => ""],
  "bad format": [
    ({ schema }) => BAD_FORMATS[schema.format],
    (value, { schema }, random) => random.pick(BAD_FORMATS[schema.format]),
  ],
  "unknown member": [
    ({ unions, isMap }) => unions && !isMap && !unions.some(({ arm }) => "not" in arm),
    (value, place, random) => ({
      ...value,
      [random.pick(["unknown", "_unknown"])]: random.pick(OTHERS),
    }),
  ],
  "lone surrogate": [
    ({ schema, tagged }) =>
      schema.type === "string" && !schema.format && !("const" in schema) && !tagged,
    () => "a\ud800b",
  ],
};

export const kinds = Object.keys(KINDS);

// Gives the sample with its value changed, and what was done: {kind, place, to}. Undefined if the
// value has no place for that kind. Places near the root are preferred: what is far below has a
// definition of its own. `another()` makes another value of the same definition.
export function mutate(sample, kind, random, another) {
  const [fits, change] = KINDS[kind];
  const places = sample.places.filter(
    (place) => fits(place) && (at(sample.value, place.path) ?? null) !== null,
  );
  if (places.length === 0) return undefined;
  const place = random.pick(random.chance(0.5) ? nearest(places) : places);
  const root = { value: structuredClone(sample.value) };
  const path = ["value", ...place.path];
  const to = change(at(root, path), place, random, () => at(another(), place.path));
  const holder = at(root, path.slice(0, -1));
  if (to === undefined) delete holder[path.at(-1)];
  else holder[path.at(-1)] = to;
  return { ...sample, value: root.value, kind, place, to };
}

function nearest(places) {
  const least = Math.min(...places.map((place) => place.path.length));
  return places.filter((place) => place.path.length === least);
}

const at = (value, path) => path.reduce((inner, key) => inner?.[key], value);
