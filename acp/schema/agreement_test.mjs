// Compares `acp schema check` with the official schema and the official SDK, with random values of
// every definition. docs/schema-agreement.md tells what must agree, and where we differ on purpose.
//
//   node acp/schema/agreement_test.mjs PATH_TO_ACP [--seed N] [--values N]
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { check } from "./agreement/acp.mjs";
import {
  ACCEPTED, DEFAULT_MODE, exceptions, FITS_SCHEMA, FITS_SDK, MEANING, SAME_IN_BOTH, STRICT_MODE,
} from "./agreement/exceptions.mjs";
import { sameMeaning } from "./agreement/meaning.mjs";
import { kinds, mutate } from "./agreement/mutations.mjs";
import { Random } from "./agreement/random.mjs";
import { Sdk } from "./agreement/sdk.mjs";
import { write, writeOddly } from "./agreement/text.mjs";
import { allArms, Values } from "./agreement/values.mjs";

const DEFINITIONS = {
  "v1/schema.json": 178,
  "v1/schema.unstable.json": 252,
  "v2/schema.json": 197,
  "v2/schema.unstable.json": 262,
};
// With so many values for each definition, every arm and every exception must have had its turn.
const ENOUGH = 40;
const SHOWN = 20;

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    values: { type: "string", default: String(ENOUGH) },
  },
});
const [program] = positionals;
const seed = Number(options.seed);
const count = Number(options.values);
if (positionals.length !== 1 || !Number.isInteger(seed) || !(count > 0)) {
  console.error("Usage: node acp/schema/agreement_test.mjs PATH_TO_ACP [--seed N] [--values N]");
  process.exit(2);
}

const totals = new Map();
const used = new Map(exceptions.map((exception) => [exception, 0]));
const failures = [];

function* validSamples(values, name, random) {
  for (let i = 0; i < count; ++i) {
    const kind = ["valid", "wild", "valid", "odd spelling"][i % 4];
    const sample = { ...values.make(name, kind === "wild"), kind, valid: true };
    yield kind === "odd spelling" ? { ...sample, text: writeOddly(sample.value, random) } : sample;
  }
}

// Kinds take turns; a value that has no place for one is given to the next.
function* mutatedSamples(values, name, random, allowed, howMany) {
  let turn = random.below(allowed.length);
  const another = () => values.make(name).value;
  for (let i = 0; i < howMany; ++i) {
    const sample = values.make(name);
    let mutated;
    for (let tries = 0; !mutated && tries < allowed.length; ++tries)
      mutated = mutate(sample, allowed[turn++ % allowed.length], random, another);
    if (mutated) yield mutated;
  }
}

// What the unstable schema makes, and what is wrong by it, for the stable one to judge.
function* newerSamples(newer, name, random) {
  const values = new Values(newer.defs, random);
  for (let i = 0; i < count / 8; ++i) yield { ...values.make(name), kind: "unstable", newer };
  for (const sample of mutatedSamples(values, name, random, ["wrong type", "missing"], count / 8))
    yield { ...sample, newer };
}

function* samplesOf(sdk, name, newer) {
  const random = new Random(seed, `${sdk.file} ${name}`);
  const values = new Values(sdk.defs, random, totals.get(sdk.file).arms);
  yield* validSamples(values, name, random);
  yield* mutatedSamples(values, name, random, kinds, count * 1.5);
  if (newer) yield* newerSamples(newer, name, random);
}

// One thing that must hold: it does, or an exception explains it, or it is a failure.
function expect(verdict, check, holds) {
  const total = totals.get(verdict.sdk.file);
  if (holds) {
    ++total.agreements;
    return;
  }
  const exception = exceptions.find(
    ({ checks, when }) => checks.includes(check) && when(verdict, check),
  );
  if (exception) {
    ++total.excepted;
    used.set(exception, used.get(exception) + 1);
  } else {
    failures.push({ check, ...verdict });
  }
}

function judge(sample, lenient, strict) {
  const { sdk, name, places } = sample;
  const original = JSON.parse(sample.text);
  const bySdk = sdk.parse(name, original);
  const bySchema = sdk.schemaAccepts(name, original);
  const again = lenient.ok ? sdk.parse(name, lenient.value) : undefined;
  const verdict = { ...sample, lenient, strict, bySdk, bySchema, again };
  const total = totals.get(sdk.file);
  ++total[sample.valid ? "valid" : "others"];
  if (!bySchema) ++total.refused;

  if (sample.valid) expect(verdict, ACCEPTED, lenient.ok && bySdk.ok && bySchema);
  expect(verdict, DEFAULT_MODE, lenient.ok === bySdk.ok);
  expect(verdict, STRICT_MODE, strict.ok === bySchema);
  if (strict.ok)
    expect(verdict, SAME_IN_BOTH, JSON.stringify(strict.value) === JSON.stringify(lenient.value));
  if (!lenient.ok) return;
  expect(verdict, FITS_SCHEMA, sdk.schemaAccepts(name, lenient.value));
  expect(verdict, FITS_SDK, again.ok);
  if (bySdk.ok && again.ok) expect(verdict, MEANING, sameMeaning(again.value, bySdk.value, places));
}

async function judgeType(name, stable, unstable) {
  const samples = [];
  for (const sdk of [stable, unstable]) {
    if (!sdk.defs[name]) continue;
    ++totals.get(sdk.file).definitions;
    for (const sample of samplesOf(sdk, name, sdk === stable ? unstable : undefined))
      samples.push({ text: write(sample.value), ...sample, sdk, name });
  }
  const texts = samples.map((sample) => sample.text);
  const [lenient, strict] = await Promise.all([
    check(program, stable.version, name, [], texts),
    check(program, stable.version, name, ["--strict"], texts),
  ]);
  samples.forEach((sample, i) => judge(sample, lenient[i], strict[i]));
}

async function judgeVersion(version) {
  const sdks = [await Sdk.load(version, false), await Sdk.load(version, true)];
  for (const { file, defs } of sdks)
    totals.set(file, {
      definitions: 0,
      arms: new Set(),
      allArms: allArms(defs).size,
      valid: 0,
      others: 0,
      refused: 0,
      agreements: 0,
      excepted: 0,
    });
  const names = Object.keys(sdks[1].defs);
  const worker = async () => {
    for (let name = names.shift(); name; name = names.shift()) await judgeType(name, ...sdks);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

function show({ check, sdk, name, kind, place, text, lenient, strict, bySdk, bySchema }) {
  if (!sdk) return check;
  return `${check}: ${sdk.file} ${name}, ${kind}${place ? ` at /${place.path.join("/")}` : ""}
  value        ${text}
  default mode ${JSON.stringify(lenient)}
  SDK          ${JSON.stringify(bySdk)}
  strict mode  ${JSON.stringify(strict)}
  schema       ${bySchema}`;
}

function report() {
  for (const [file, total] of totals) {
    const { definitions, arms, valid, others, refused, agreements, excepted } = total;
    console.log(
      `${file}: ${definitions} definitions, ${arms.size} of ${total.allArms} union arms; ` +
        `${valid} valid values, ${others} others, of which the schema refuses ${refused}; ` +
        `${agreements} agreements, ${excepted} exceptions`,
    );
    if (definitions !== DEFINITIONS[file])
      failures.push({ check: `${file} has ${DEFINITIONS[file]} definitions` });
    if (count >= ENOUGH && arms.size !== total.allArms)
      failures.push({ check: `${file}: every arm has its turn` });
  }
  console.log("\nExceptions:");
  for (const [{ title, why }, uses] of used) {
    console.log(`${String(uses).padStart(7)}  ${title}:\n         ${why}`);
    if (count >= ENOUGH && uses === 0) failures.push({ check: `exception never used: ${title}` });
  }
  for (const failure of failures.slice(0, SHOWN)) console.log(`\nFAILED ${show(failure)}`);
  console.log(
    failures.length === 0
      ? `\nAll agree (seed ${seed}).`
      : `\n${failures.length} unexplained (seed ${seed}).`,
  );
}

await judgeVersion("v1");
await judgeVersion("v2");
report();
process.exitCode = failures.length === 0 ? 0 : 1;
