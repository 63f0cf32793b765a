import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { parseJson } from "./parse-json.js";
import { dependsOn, upwards } from "./read-manifest.js";

/** A limit, so that a cycle of `extends` ends. */
const MOST_EXTENDS = 16;

/**
 * Detects the extension that relative imports need, from the nearest settings above the folder: `none` for Next.js
 * (its bundlers reject `./x.js`) and for `"moduleResolution": "bundler"`, `ts` where TypeScript runs directly (Deno,
 * or `allowImportingTsExtensions` with Node's resolution), `js` otherwise.
 */
export async function detectImportExtension(folder: string): Promise<"js" | "ts" | "none"> {
  const manifest = await findJson(folder, "package.json");
  if (manifest !== undefined && dependsOn(manifest.json, ["next"])) return "none";
  const project = await findJson(folder, "tsconfig.json");
  if (project === undefined) return (await findJson(folder, "deno.json")) === undefined ? "js" : "ts";
  const options = await compilerOptions(project, MOST_EXTENDS);
  const lower = (option: string): string => textOf(options.get(option)).toLowerCase();
  const resolution = lower("moduleResolution") || (lower("module") === "preserve" ? "bundler" : "");
  if (resolution === "bundler") return "none";
  const runsTypeScript =
    options.get("allowImportingTsExtensions") === true ||
    options.get("rewriteRelativeImportExtensions") === true;
  return runsTypeScript ? "ts" : "js";
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

interface FoundJson {
  readonly path: string;
  readonly json: JsonObject;
}

/** The compiler options of a project, on top of those it extends. */
async function compilerOptions(
  { path, json }: FoundJson,
  depth: number,
): Promise<ReadonlyMap<string, JsonValue>> {
  const options = new Map<string, JsonValue>();
  const bases = [json["extends"] ?? []].flat().filter((base) => typeof base === "string");
  for (const base of depth === 0 ? [] : bases) {
    const found = await findBase(dirname(path), base);
    if (found === undefined) continue;
    for (const [option, value] of await compilerOptions(found, depth - 1)) options.set(option, value);
  }
  const own = json["compilerOptions"];
  if (isJsonObject(own)) for (const [option, value] of Object.entries(own)) options.set(option, value);
  return options;
}

async function findBase(folder: string, base: string): Promise<FoundJson | undefined> {
  const isPath = base.startsWith(".") || base.startsWith("/");
  const roots = isPath
    ? [resolve(folder, base)]
    : [...upwards(folder)].map((at) => join(at, "node_modules", base));
  for (const root of roots)
    for (const path of [root, `${root}.json`, join(root, "tsconfig.json")]) {
      const json = await readJson(path);
      if (json !== undefined) return { path, json };
    }
  return undefined;
}

async function findJson(folder: string, name: string): Promise<FoundJson | undefined> {
  for (const directory of upwards(folder)) {
    const path = join(directory, name);
    const json = await readJson(path);
    if (json !== undefined) return { path, json };
  }
  return undefined;
}

/** Reads a JSON object with comments and trailing commas, as in `tsconfig.json`. */
async function readJson(path: string): Promise<JsonObject | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const parsed = parseJson(text, { allowComments: true });
  return "value" in parsed && isJsonObject(parsed.value) ? parsed.value : undefined;
}
