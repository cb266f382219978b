// Random values of a JSON Schema definition, with a note of every place in them that has a schema.

const TEXTS = [
  "", "a", "text", "a/b c", "Grüße, 世界 🙂", '"\\\n\t\u0000\u007f\u2028', "null", "-1",
];
const LONG = "ä".repeat(3000);
const FORMATS = {
  uri: [
    "file:///home/user/a.txt", "https://example.com/x?y=%20z#f", "urn:isbn:0451450523", "data:,hi",
    "http://[::1]:80/",
  ],
  "date-time": [
    "2026-11-14T10:45:00Z", "2024-02-29T23:59:59.123456789+02:00", "0001-01-01T00:00:00-23:59",
  ],
  regex: ["^a+$", "", "[0-9]{2,}|ä"],
};
const INTEGERS = [
  0, 1, -1, 7, 65535, 65536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53,
  -(2 ** 53), 2 ** 62, 2 ** 63,
];
const NUMBERS = [0, 1, -1, 0.5, 0.1, 1e300, -1e-300, 5e-324, Number.MAX_VALUE, 2 ** 53, 123456.789];

// The first and last integer of each format that JavaScript holds exactly.
export const RANGES = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63 - 1024],
  uint16: [0, 2 ** 16 - 1],
  uint32: [0, 2 ** 32 - 1],
  uint64: [0, 2 ** 64 - 2048],
};

export const armsOf = (schema) => schema.anyOf ?? schema.oneOf;

// Every arm of every union, where there is more to choose than null or not.
export function allArms(defs) {
  const found = new Set();
  const visit = (schema) => {
    const arms = armsOf(schema) ?? [];
    const rest = arms.filter((arm) => arm.type !== "null");
    if (rest.length > 1 || rest.length === arms.length) rest.forEach((arm) => found.add(arm));
    const { items, additionalProperties, properties = {}, allOf = [] } = schema;
    [...Object.values(properties), ...allOf, ...arms].forEach(visit);
    if (items) visit(items);
    if (typeof additionalProperties === "object") visit(additionalProperties);
  };
  Object.values(defs).forEach(visit);
  return found;
}

// The member by whose constant the arms are told apart; undefined if there is none.
function tagOf(arms) {
  for (const arm of arms)
    for (const [name, property] of Object.entries(arm.properties ?? {}))
      if ("const" in property) return name;
  return undefined;
}

export class Values {
  #defs;
  #random;
  #seen;
  #wild;
  #sample;
  #plain = new Map();
  #turns = new Map();

  // `seen` collects the arms that were used.
  constructor(defs, random, seen = new Set()) {
    this.#defs = defs;
    this.#random = random;
    this.#seen = seen;
  }

  // Gives {value, places, unknownMembers, unprefixed}. Only `wild` values have unknown members, and
  // new names that do not begin with `_`; both are counted.
  // A place is {path, schema, nullable}: the schema is without its null. A member's place also has
  // owner (the object's place), name, required and, if it is the tag of a union, tagged. That of an
  // object has unions ([{arms, arm, tag}]), and isMap if its members are not listed.
  make(name, wild = false) {
    this.#wild = wild;
    this.#sample = { places: [], unknownMembers: 0, unprefixed: 0 };
    this.#sample.value = this.#value(this.#defs[name], []);
    return this.#sample;
  }

  // A schema with its reference followed and null taken out.
  #resolve(schema) {
    let known = this.#plain.get(schema);
    if (!known) this.#plain.set(schema, (known = this.#resolveOnce(schema)));
    return known;
  }

  #resolveOnce(schema) {
    if (schema.$ref) return this.#resolve(this.#defs[schema.$ref.split("/").at(-1)]);
    const arms = armsOf(schema);
    if (schema.allOf && !schema.properties && !arms) return this.#resolve(schema.allOf[0]);
    if (Array.isArray(schema.type)) {
      const type = schema.type.find((t) => t !== "null");
      return { schema: { ...schema, type }, nullable: schema.type.includes("null") };
    }
    const rest = arms?.filter((arm) => arm.type !== "null") ?? [];
    if (!arms || rest.length === arms.length) return { schema, nullable: false };
    const inner = rest.length === 1 ? this.#resolve(rest[0]).schema : { ...schema, anyOf: rest };
    return { schema: inner, nullable: true };
  }

  // One after the other, so that none is left out.
  #nextArm(arms) {
    const turn = this.#turns.get(arms) ?? this.#random.below(arms.length);
    this.#turns.set(arms, turn + 1);
    const arm = arms[turn % arms.length];
    this.#seen.add(arm);
    return arm;
  }

  #value(written, path, about = {}) {
    const { schema, nullable } = this.#resolve(written);
    const place = { path, schema, nullable, ...about };
    this.#sample.places.push(place);
    return nullable && this.#random.chance(0.15) ? null : this.#notNull(schema, place);
  }

  #notNull(schema, place) {
    const arms = armsOf(schema);
    if ("const" in schema) return schema.const;
    if (this.#isObject(schema)) return this.#object(schema, place);
    if (arms) {
      const arm = this.#nextArm(arms);
      const isNew =
        arm.type === "string" && !("const" in arm) && arms.some((other) => "const" in other);
      return isNew ? this.#newName() : this.#notNull(this.#resolve(arm).schema, place);
    }
    switch (schema.type) {
      case "string":
        return this.#string(schema);
      case "boolean":
        return this.#random.chance(0.5);
      case "integer":
        return this.#integer(schema);
      case "number":
        return this.#random.pick(
          NUMBERS.filter((n) => !(n < schema.minimum) && !(n > schema.maximum)),
        );
      case "array":
        return this.#array(schema, place);
      case "null":
        return null;
      case undefined:
        return this.#any(3);
    }
    throw new Error(`no values for ${JSON.stringify(schema)}`);
  }

  #isObject(schema) {
    const inner = this.#resolve(schema).schema;
    return inner.type === "object" || (armsOf(inner) ?? []).some((arm) => this.#isObject(arm));
  }

  #array(schema, place) {
    const length = (schema.minItems ?? 0) + this.#random.below(place.path.length < 3 ? 4 : 2);
    return Array.from({ length }, (_, i) => this.#value(schema.items, [...place.path, i]));
  }

  #object(schema, place) {
    const object = {};
    place.unions = [];
    if (this.#fill(schema, object, place)) {
      Object.assign(object, this.#anyObject(2));
    } else if (this.#wild && !place.isMap && this.#random.chance(0.3)) {
      object[this.#random.pick(["unknown", "x-unknown", "_unknown"])] = this.#any(2);
      ++this.#sample.unknownMembers;
    }
    return object;
  }

  // Adds the members that a schema asks for; true if any others are welcome. `union` is the one
  // whose arm this is.
  #fill(written, object, place, union) {
    const { schema } = this.#resolve(written);
    const arms = armsOf(schema);
    let open = "not" in schema;
    for (const part of schema.allOf ?? []) open = this.#fill(part, object, place) || open;
    if (arms) {
      const chosen = { arms, arm: this.#nextArm(arms), tag: tagOf(arms) };
      place.unions.push(chosen);
      open = this.#fill(chosen.arm, object, place, chosen) || open;
    }
    this.#addMembers(schema, object, place, union);
    if (!schema.additionalProperties || schema.properties) return open;
    place.isMap = true;
    if (schema.additionalProperties === true) return true;
    for (const key of this.#keys())
      object[key] = this.#value(schema.additionalProperties, [...place.path, key]);
    return false;
  }

  #addMembers(schema, object, place, union) {
    const inArms = (armsOf(schema) ?? []).flatMap((arm) => Object.keys(arm.properties ?? {}));
    const likely = place.path.length < 3 ? 0.6 : 0.35;
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const required = (schema.required ?? []).includes(name);
      if (inArms.includes(name) || (!required && !this.#random.chance(likely))) continue;
      const tagged = union?.tag === name ? union : undefined;
      const about = { owner: place, name, required, tagged };
      object[name] = this.#value(property, [...place.path, name], about);
      if (tagged && "not" in schema) object[name] = this.#newName();
    }
  }

  #newName() {
    const name = this.#random.pick(this.#wild ? ["_custom", "unheard_of", ""] : ["_custom", "_"]);
    if (!name.startsWith("_")) ++this.#sample.unprefixed;
    return name;
  }

  #string(schema) {
    if (FORMATS[schema.format]) return this.#random.pick(FORMATS[schema.format]);
    if (this.#random.chance(0.01)) return LONG;
    return this.#random.pick(TEXTS.filter((text) => text.length >= (schema.minLength ?? 0)));
  }

  #integer(schema) {
    const [lowest, highest] = RANGES[schema.format];
    const least = Math.max(lowest, schema.minimum ?? lowest);
    const most = Math.min(highest, schema.maximum ?? highest);
    return this.#random.pick([least, most, ...INTEGERS.filter((n) => n >= least && n <= most)]);
  }

  #any(depth) {
    switch (this.#random.below(depth > 0 ? 6 : 4)) {
      case 0:
        return null;
      case 1:
        return this.#random.chance(0.5);
      case 2:
        return this.#random.pick(NUMBERS);
      case 3:
        return this.#random.pick(TEXTS);
      case 4:
        return Array.from({ length: this.#random.below(3) }, () => this.#any(depth - 1));
      default:
        return this.#anyObject(depth - 1);
    }
  }

  #anyObject(depth) {
    return Object.fromEntries(this.#keys().map((key) => [key, this.#any(depth)]));
  }

  #keys() {
    return ["payload", "π/δ", "", "x.y"].slice(0, this.#random.below(5));
  }
}
