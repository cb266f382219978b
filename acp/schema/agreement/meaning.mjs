// Whether two values mean the same to a program that reads them through the SDK.
import { isDeepStrictEqual } from "node:util";

// Both come from the SDK, which has filled in defaults and dropped unknown members. The one freedom
// that we take in writing: an optional list or map that cannot be null, and is empty, is left out.
export function sameMeaning(one, other, places) {
  const optional = new Set(
    places.filter(mayBeLeftOut).map(({ path }) => path.map(anyIndex).join("/")),
  );
  return isDeepStrictEqual(trimmed(one, optional, ""), trimmed(other, optional, ""));
}

function mayBeLeftOut({ schema, nullable, required, isMap }) {
  const isContainer = schema.type === "array" || (isMap && schema.additionalProperties !== true);
  return required === false && !nullable && isContainer;
}

const anyIndex = (key) => (typeof key === "number" ? "*" : key);
const isEmpty = (value) =>
  value !== null && typeof value === "object" && Object.keys(value).length === 0;

function trimmed(value, optional, path) {
  if (Array.isArray(value)) return value.map((item) => trimmed(item, optional, `${path}*/`));
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(
    ([key, member]) => !(optional.has(path + key) && isEmpty(member)),
  );
  return Object.fromEntries(
    kept.map(([key, member]) => [key, trimmed(member, optional, `${path}${key}/`)]),
  );
}
