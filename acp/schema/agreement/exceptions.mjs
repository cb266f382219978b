// Where we differ from the official schema or SDK; docs/schema-agreement.md has it for readers.
//
// An exception covers the named checks for the verdicts that `when` picks. A verdict is a sample
// (name, value, places; for a mutation also kind, place, to; if made from the unstable schema for a
// stable one, newer: that SDK) with what everyone said of it: lenient and strict are our two modes,
// bySdk and bySchema theirs, and again is what the SDK makes of what we wrote.
import { sameMeaning } from "./meaning.mjs";

export const ACCEPTED = "a valid value is accepted";
export const DEFAULT_MODE = "default mode accepts what the SDK accepts";
export const STRICT_MODE = "strict mode accepts what the schema accepts";
export const SAME_IN_BOTH = "both modes read the same";
export const FITS_SCHEMA = "what we write fits the schema";
export const FITS_SDK = "what we write is accepted by the SDK";
export const MEANING = "what we write means the same to the SDK";

const isOpen = (arm) => "not" in arm;
const isEnvelope = (name) =>
  /^(Agent|Client|ProtocolLevel|Proxy)(Request|Response|Notification)$/.test(name);
const isInside = (path, outer) => outer.every((key, i) => key === path[i]);

function hasUntaggedArm({ arms, tag }) {
  return tag !== undefined && arms.some((arm) => !isOpen(arm) && !arm.properties?.[tag]);
}

function badFormat(format, texts) {
  return ({ kind, place, to }) =>
    kind === "bad format" && place.schema.format === format && texts.includes(to);
}

// Do both mean the same once some edits have made them alike?
function sameBut({ again, bySdk, places }, ...edits) {
  const edit = (value) => edits.reduce((edited, next) => replaced(edited, next), value);
  return sameMeaning(edit(again.value), edit(bySdk.value), places);
}

// A copy in which `change(value, key)` has replaced every value; undefined takes the member away.
function replaced(value, change, key) {
  const inner = (item, name) => replaced(item, change, name);
  if (Array.isArray(value)) return change(value.map((item) => inner(item)), key);
  if (value === null || typeof value !== "object") return change(value, key);
  const members = Object.entries(value).map(([name, member]) => [name, inner(member, name)]);
  return change(Object.fromEntries(members.filter(([, member]) => member !== undefined)), key);
}

const wellFormed = (value) => (typeof value === "string" ? value.toWellFormed() : value);
const withoutNullStopReason = (value, key) =>
  key === "stopReason" && value === null ? undefined : value;
const emptied = (value, key) => (key === "compaction" || key === "notices" ? {} : value);

export const exceptions = [
  {
    title: "strict mode refuses unknown members",
    why: "the schema allows them everywhere; strict mode is there to find misspelt ones",
    checks: [STRICT_MODE],
    when: ({ name, kind, place, strict, bySchema, unknownMembers }) =>
      bySchema &&
      !strict.ok &&
      (unknownMembers > 0 ||
        kind === "unknown member" ||
        /another arm$/.test(kind) ||
        place?.tagged) &&
      (strict.expected === "no member of this name" ||
        (isEnvelope(name) && strict.path === "params") ||
        (place?.tagged && hasUntaggedArm(place.tagged))),
  },
  {
    title: "strict mode refuses new names in open enums and unions unless they begin with _",
    why: "the protocol reserves all other names for itself; the schema cannot say so",
    checks: [STRICT_MODE],
    when: ({ kind, to, strict, bySchema, unprefixed }) =>
      bySchema &&
      !strict.ok &&
      strict.expected.startsWith("one of ") &&
      (unprefixed > 0 ||
        kind === "bad item" ||
        (/^unknown (name|tag)$/.test(kind) && !to.startsWith("_"))),
  },
  {
    title: "unknown tags of v1's closed unions are kept",
    why: "a newer peer must not break an older one: tag and payload are kept and written back",
    checks: [DEFAULT_MODE, FITS_SCHEMA, FITS_SDK],
    when: ({ sdk, kind, place, lenient }) =>
      sdk.version === "v1" &&
      kind === "unknown tag" &&
      !place.tagged.arms.some(isOpen) &&
      lenient.ok,
  },
  {
    title: "a known tag binds, although an arm without a tag would take the value",
    why: "an http server without a url is a mistake, not a stdio server that has a type",
    checks: [DEFAULT_MODE, STRICT_MODE, MEANING],
    when: ({ place, places, lenient, bySdk, strict, bySchema }) =>
      place &&
      places.some(
        (outer) => outer.unions?.some(hasUntaggedArm) && isInside(place.path, outer.path),
      ) &&
      ((bySdk.ok && !lenient.ok) || (bySchema && !strict.ok)),
  },
  {
    title: "what only the unstable schema has is known, also where the stable one is asked",
    why: "our types come from the unstable schema, and mark what the stable one lacks",
    checks: [DEFAULT_MODE, STRICT_MODE, FITS_SCHEMA, FITS_SDK, MEANING],
    when: ({ newer, name, value, lenient, strict, places }, check) =>
      newer &&
      {
        [DEFAULT_MODE]: () => lenient.ok === newer.parse(name, value).ok,
        [STRICT_MODE]: () => strict.ok === newer.schemaAccepts(name, value),
        [FITS_SCHEMA]: () => newer.schemaAccepts(name, lenient.value),
        [FITS_SDK]: () => newer.parse(name, lenient.value).ok,
        [MEANING]: () =>
          sameMeaning(
            newer.parse(name, lenient.value).value,
            newer.parse(name, value).value,
            places,
          ),
      }[check](),
  },
  {
    title: "integers beyond 64 bits are refused",
    why: "the schema's formats say int64 and uint64; JavaScript takes any integral double",
    checks: [DEFAULT_MODE, MEANING],
    when: ({ kind, place, strict, bySdk, bySchema }) =>
      bySdk.ok &&
      !bySchema &&
      ((kind === "out of range" && /^u?int64$/.test(place.schema.format)) ||
        (kind === "tag of another arm" &&
          /^an integer from .*(775807|551615)$/.test(strict.expected))),
  },
  {
    title: "uri: characters that RFC 3986 excludes are accepted",
    why: "browsers, editors and the SDK accept them too",
    checks: [STRICT_MODE, FITS_SCHEMA],
    when: badFormat("uri", [
      "http://例え.jp/ü", "http://x/%zz", "https://x/{a}|b", "c:\\a", "http://[x]/",
    ]),
  },
  {
    title: "uri: host and port are not looked at",
    why: "a scheme and no blanks is what we check; who opens the address will find the rest",
    checks: [DEFAULT_MODE, FITS_SDK],
    when: badFormat("uri", ["http://", "http://x:99999/", "http://[x]/"]),
  },
  {
    title: "uri: blanks, and a scheme alone, are refused",
    why: "they are no URI to the schema either; the SDK asks JavaScript's URL, which repairs them",
    checks: [DEFAULT_MODE, MEANING],
    when: badFormat("uri", ["a:b c", "file:"]),
  },
  {
    title: "date-time: only the spelling that the SDK accepts",
    why: "ajv-formats also takes a blank for the T, small letters, a leap second and short offsets",
    checks: [STRICT_MODE],
    when: badFormat("date-time", [
      "2026-11-14 10:45:00Z", "2026-11-14t10:45:00z", "2026-11-14T23:59:60Z",
      "2026-11-14T10:45:00+0200", "2026-11-14T10:45:00+02",
    ]),
  },
  {
    title: "regex: patterns are not compiled",
    why: "they are ECMA-262's, which C++ has no engine for; the SDK does not compile them either",
    checks: [STRICT_MODE, FITS_SCHEMA],
    when: badFormat("regex", ["(", "[z-a]", "a{2,1}", "\\"]),
  },
  {
    title: "a lone surrogate becomes U+FFFD",
    why: "UTF-8 has no spelling for it",
    checks: [MEANING],
    when: (verdict) =>
      verdict.kind === "lone surrogate" &&
      sameBut(verdict, wellFormed, withoutNullStopReason, emptied),
  },
  {
    title: "stopReason null is written as absent",
    why: "the schema says that both mean the same",
    checks: [MEANING],
    when: (verdict) => sameBut(verdict, withoutNullStopReason),
  },
  {
    title: "CompactionCapabilities and NoticeCapabilities lose unknown members",
    why: "as all objects do; the schema lists none for these two, so the SDK takes them for maps",
    checks: [MEANING],
    when: (verdict) =>
      /^(Compaction|Notice)Capabilities$/.test(verdict.name) || sameBut(verdict, emptied),
  },
  {
    title: "a list from which bad items were dropped may be shorter than the schema wants",
    why: "the tolerance marks ask for it; what the SDK makes of it does not fit the schema either",
    checks: [FITS_SCHEMA],
    when: ({ sdk, name, bySchema, bySdk }) =>
      !bySchema && bySdk.ok && !sdk.schemaAccepts(name, bySdk.value),
  },
  {
    title: "params and results in envelopes, and all beside an unknown tag, are kept as they came",
    why: "only who knows the method, or the tag, can read them",
    checks: [FITS_SCHEMA],
    when: ({ name, place, bySchema }) =>
      !bySchema && (isEnvelope(name) || place?.owner?.unions.some(({ arm }) => isOpen(arm))),
  },
  {
    title: "v2 error data of a known shape with a fault in it is any other data to strict mode",
    why: "any data is allowed; default mode drops the fault and takes the shape, as the SDK does",
    checks: [SAME_IN_BOTH],
    when: ({ sdk, name, place, places, unknownMembers }) =>
      sdk.version === "v2" &&
      (unknownMembers > 0 || place) &&
      (name === "ErrorData" || places.some((other) => other.name === "data")),
  },
];
