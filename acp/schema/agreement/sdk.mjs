// What judges our values: ajv on the official JSON Schema, and the validators of the official SDK.
import { readFileSync } from "node:fs";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { RANGES } from "./values.mjs";

const SDK = new URL("../../../node_modules/@agentclientprotocol/sdk/", import.meta.url);
const ANNOTATIONS = [
  "discriminator", "x-side", "x-method", "x-docs-ignore", "x-deserialize-default-on-error",
  "x-deserialize-skip-invalid-items", "x-deserialize-default-on-null",
];
const read = (path) => readFileSync(new URL(path, SDK), "utf8");

export class Sdk {
  #ajv = new Ajv2020.default({ strict: true, allowUnionTypes: true });
  #zod;
  #nullResults;

  static async load(version, unstable) {
    const sdk = new Sdk();
    sdk.version = version;
    sdk.file = `${version}/schema${unstable ? ".unstable" : ""}.json`;
    const schema = JSON.parse(read(`schema/${sdk.file}`));
    sdk.defs = schema.$defs;
    addFormats.default(sdk.#ajv);
    for (const keyword of ANNOTATIONS) sdk.#ajv.addKeyword(keyword);
    for (const [format, [least, most]] of Object.entries(RANGES))
      sdk.#ajv.addFormat(format, { type: "number", validate: (n) => n >= least && n <= most });
    sdk.#ajv.addSchema(schema, sdk.file);
    // The validators are no entry point of the package, but the version is pinned.
    sdk.#zod = await import(
      new URL(`dist/${version}/${unstable ? "unstable/" : ""}schema/zod.gen.js`, SDK)
    );
    sdk.#nullResults = nullResults(version);
    return sdk;
  }

  schemaAccepts(name, value) {
    return this.#ajv.getSchema(`${this.file}#/$defs/${name}`)(value);
  }

  // {ok, value}: what the SDK hands to a program.
  parse(name, value) {
    const received = value === null && this.#nullResults.has(name) ? {} : value;
    const { success, data } = this.#zod[`z${name}`].safeParse(received);
    return { ok: success, value: data === undefined ? data : JSON.parse(JSON.stringify(data)) };
  }
}

// The results for which the SDK turns null into {} before it validates.
function nullResults(version) {
  const names = [
    ...read(`dist/${version}/acp.js`).matchAll(/validate\.z(\w+)Request,.*emptyObjectResponse/g),
  ];
  if (names.length === 0)
    throw new Error("the SDK has another way to say which results may be null");
  return new Set(names.map((match) => `${match[1]}Response`));
}
