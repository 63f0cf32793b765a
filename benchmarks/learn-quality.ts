/**
 * Prints how well learned schemas fit: hides the declared output schema of each tool, learns from generated answers, and judges further answers. With `--compare <folder>` it also judges quicktype-core, installed in that
 * folder's `node_modules`.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Ajv2020 } from "ajv/dist/2020.js";
import {
  canonicalJson,
  findOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../src/core/json.js";
import { inferSchema } from "../src/schema/infer/observe.js";
import { dataFiles, SHARED } from "../test/data/files.js";
import {
  createRandom,
  generateInstance,
  mutateInstance,
  type Random,
} from "../test/schema/support/instances.js";

const SEED = 20_261_123;
/** How many answers are learned from. */
const SIZES = [3, 10, 50];
const MOST_SAMPLES = 50;
/** How many unseen answers, valid and invalid, judge a learned schema. */
const JUDGES = 60;
/** How many answers are generated to find those that are valid. */
const TRIES = 2_000;

type Learn = (samples: readonly JsonValue[]) => Promise<JsonObject>;

interface Score {
  accepted: number;
  valid: number;
  refused: number;
  invalid: number;
}

const ours: Learn = (samples) => Promise.resolve(inferSchema(samples));

/** Schemas without repetitions. */
function distinct(schemas: readonly (JsonValue | undefined)[]): readonly JsonObject[] {
  return [...new Map(schemas.filter(isJsonObject).map((schema) => [canonicalJson(schema), schema])).values()];
}

/** The declared output schemas of the public tools. */
function readPublicOutputs(): readonly JsonObject[] {
  const lists = dataFiles("tool-lists").map((path) => JSON.parse(readFileSync(path, "utf8")) as JsonValue);
  const tools = lists.flatMap((list) => (isJsonArray(list) ? list : (findOwn(list, "tools") ?? [])));
  return distinct(tools.map((tool) => findOwn(tool, "outputSchema")));
}

/** The declared output schemas of the abilities of WordPress plugins; none without `../shared/data`. */
function readAbilityOutputs(): readonly JsonObject[] {
  const path = `${SHARED}wordpress/abilities-raw-wp71.json`;
  if (!existsSync(path)) return [];
  const plugins = JSON.parse(readFileSync(path, "utf8")) as JsonObject;
  const abilities = Object.values(plugins).flatMap((plugin) => {
    const list = findOwn(plugin, "abilities");
    return isJsonArray(list) ? list : [];
  });
  return distinct(abilities.map((ability) => findOwn(ability, "output_schema")));
}

/** Programs that are installed with this project. */
const PROGRAMS = {
  "the example server": [own("bin/mcp-codegen.js"), "example-server"],
  "server-everything": [own("node_modules/@modelcontextprotocol/server-everything/dist/index.js"), "stdio"],
  "server-filesystem": [
    own("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"),
    own("docs"),
  ],
};

function own(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/** The declared output schemas that a program lists. */
async function listOutputs(args: readonly string[]): Promise<readonly JsonObject[]> {
  const client = new Client({ name: "learn-quality", version: "1" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [...args], stderr: "ignore" }),
  );
  const { tools } = await client.listTools();
  await client.close();
  return distinct(tools.map((tool) => JSON.parse(JSON.stringify(tool.outputSchema ?? null)) as JsonValue));
}

/** Returns different valid answers, and invalid ones that each differ from a valid one in a detail. */
function generateAnswers(
  schema: JsonObject,
  random: Random,
): { readonly valid: readonly JsonValue[]; readonly invalid: readonly JsonValue[] } | undefined {
  const accepts = compile(schema);
  if (accepts === undefined) return undefined;
  const valid = new Map<string, JsonValue>();
  for (let turn = 0; turn < TRIES && valid.size < MOST_SAMPLES + JUDGES; turn += 1) {
    const answer = generateInstance(schema, schema, random);
    if (accepts(answer)) valid.set(canonicalJson(answer), answer);
  }
  const answers = [...valid.values()];
  const invalid: JsonValue[] = [];
  for (let turn = 0; turn < TRIES && answers.length > 0 && invalid.length < JUDGES; turn += 1) {
    const answer = mutateInstance(answers[turn % answers.length] ?? null, random);
    // A further key is no reason to refuse an answer: learned objects are open, as generated ones are.
    if (!accepts(answer) && !JSON.stringify(answer).includes('"unknownKey"')) invalid.push(answer);
  }
  return { valid: answers, invalid };
}

function compile(schema: JsonObject): ((value: JsonValue) => boolean) | undefined {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  try {
    const keywords = Object.entries(schema).filter(([key]) => key !== "$schema");
    const validate = ajv.compile(Object.fromEntries(keywords));
    return (value) => validate(value);
  } catch {
    return undefined;
  }
}

async function measure(learn: Learn, outputs: readonly JsonObject[]): Promise<readonly Score[]> {
  const scores = SIZES.map((): Score => ({ accepted: 0, valid: 0, refused: 0, invalid: 0 }));
  for (const [at, schema] of outputs.entries()) {
    const answers = generateAnswers(schema, createRandom(SEED + at));
    // Fewer different answers than samples leave nothing to judge by.
    if (answers === undefined || answers.valid.length < MOST_SAMPLES + 5) continue;
    const unseen = answers.valid.slice(MOST_SAMPLES);
    for (const [index, size] of SIZES.entries()) {
      const accepts = compile(await learn(answers.valid.slice(0, size)));
      const score = scores[index];
      if (accepts === undefined || score === undefined)
        throw new Error("A learned schema cannot be compiled.");
      score.accepted += unseen.filter(accepts).length;
      score.valid += unseen.length;
      score.refused += answers.invalid.filter((answer) => !accepts(answer)).length;
      score.invalid += answers.invalid.length;
    }
  }
  return scores;
}

function print(name: string, scores: readonly Score[]): void {
  const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;
  for (const [index, { accepted, valid, refused, invalid }] of scores.entries()) {
    process.stdout.write(
      `${name}, ${SIZES[index]} samples: ${percent(accepted, valid)} of ${valid} unseen valid answers accepted, ` +
        `${percent(refused, invalid)} of ${invalid} invalid ones refused\n`,
    );
  }
}

/** What is used of quicktype-core. */
interface Quicktype {
  readonly jsonInputForTargetLanguage: (language: string) => {
    readonly addSource: (source: {
      readonly name: string;
      readonly samples: readonly string[];
    }) => Promise<void>;
  };
  readonly InputData: new () => { readonly addInput: (input: unknown) => void };
  readonly quicktype: (options: object) => Promise<{ readonly lines: readonly string[] }>;
}

function learnWithQuicktype(folder: string): Learn {
  const { jsonInputForTargetLanguage, InputData, quicktype } = createRequire(join(folder, "x.js"))(
    "quicktype-core",
  ) as Quicktype;
  return async (samples) => {
    const input = jsonInputForTargetLanguage("schema");
    await input.addSource({ name: "Answer", samples: samples.map((sample) => JSON.stringify(sample)) });
    const data = new InputData();
    data.addInput(input);
    const { lines } = await quicktype({ inputData: data, lang: "schema" });
    return JSON.parse(lines.join("\n")) as JsonObject;
  };
}

const { values } = parseArgs({ options: { compare: { type: "string" } } });
const groups = new Map([
  ["public tools", readPublicOutputs()],
  ["WordPress abilities", readAbilityOutputs()],
]);
for (const [name, args] of Object.entries(PROGRAMS)) groups.set(name, await listOutputs(args));
for (const [group, outputs] of groups) {
  process.stdout.write(`${group}: ${outputs.length} different output schemas, seed ${SEED}\n`);
  print("  learned", await measure(ours, outputs));
  if (values.compare !== undefined)
    print("  quicktype", await measure(learnWithQuicktype(values.compare), outputs));
}
