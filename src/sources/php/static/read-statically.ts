import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AbilitySnapshot } from "../../../contract/ability.js";
import { McpCodegenError } from "../../../contract/errors.js";
import { byCodeUnit, type JsonValue } from "../../../contract/json.js";
import { Dynamic, evaluate, type Scope } from "./evaluate.js";
import { indexFiles, scopeAt, type PhpFile } from "./php-index.js";
import {
  childOf,
  childrenAt,
  FUNCTIONS,
  isPhpNode,
  lineOf,
  nameOf,
  walk,
  type PhpNode,
  toJson,
  type PhpValue,
} from "./php-tree.js";

/** A call that registers an ability. */
export interface Registration {
  readonly file: string;
  readonly line: number;
  /** Absent when the name is only known when PHP runs. */
  readonly name?: string;
  /** Absent when a part of it is only known when PHP runs. */
  readonly ability?: AbilitySnapshot;
  /** Why `name` or `ability` is absent. */
  readonly reason?: string;
}

/**
 * Returns the registrations in the PHP files of these folders, without running them. A definition that
 * depends on running code (a loop, a condition, a parameter, a filter) has a reason instead.
 *
 * @throws McpCodegenError `PHP_FAILED` for a file that does not parse
 */
export async function readStatically(
  folders: readonly string[],
  nameOfFile: (file: string) => string,
): Promise<readonly Registration[]> {
  const paths = [...new Set((await Promise.all(folders.map(findPhp))).flat())].sort(byCodeUnit);
  const parse = await loadParser();
  const files: PhpFile[] = [];
  for (const path of paths) files.push({ path, tree: parse(await readFile(path, "utf8"), nameOfFile(path)) });
  const index = indexFiles(files);
  const filter = files.find(({ tree }) => hasFilter(tree));
  return files.flatMap(({ path, tree }) => {
    const found: Registration[] = [];
    walk(tree, (node, ancestors) => {
      if (!isRegistration(node)) return;
      const place = { file: path, line: lineOf(node) };
      const read = readRegistration(node, ancestors, scopeAt(index, ancestors));
      const filtered = filter && `"${nameOfFile(filter.path)}" filters what is registered`;
      found.push(
        filtered === undefined || read.ability === undefined
          ? { ...place, ...read }
          : { ...place, name: read.ability.name, reason: filtered },
      );
    });
    return found;
  });
}

/** Folders without code of the plugin. */
const OTHERS = new Set(["vendor", "node_modules", "tests", "test"]);

async function findPhp(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry): Promise<readonly string[]> => {
      if (entry.isDirectory() && !OTHERS.has(entry.name)) return findPhp(join(path, entry.name));
      return entry.isFile() && entry.name.endsWith(".php") ? [join(path, entry.name)] : [];
    }),
  );
  return found.flat();
}

async function loadParser(): Promise<(text: string, name: string) => PhpNode> {
  const { Engine } = (await import("php-parser")).default;
  const engine = new Engine({ ast: { withPositions: true } });
  return (text, name) => {
    try {
      const tree: unknown = engine.parseCode(text, name);
      if (isPhpNode(tree)) return tree;
      throw new SyntaxError("no tree");
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new McpCodegenError("PHP_FAILED", `${JSON.stringify(name)} does not parse: ${why}`, {
        hint: "Fix the file.",
        cause: error,
      });
    }
  };
}

function isRegistration(node: PhpNode): boolean {
  return node.kind === "call" && nameOf(childOf(node, "what")) === "wp_register_ability";
}

function hasFilter(tree: PhpNode): boolean {
  let has = false;
  walk(tree, (node) => {
    const [hook] = node.kind === "call" ? childrenAt(node, "arguments") : [];
    if (hook?.["value"] === "wp_register_ability_args") has = true;
  });
  return has;
}

type Read = Pick<Registration, "name" | "ability" | "reason">;

function readRegistration(node: PhpNode, ancestors: readonly PhpNode[], scope: Scope): Read {
  const [nameNode, args] = childrenAt(node, "arguments");
  let name: PhpValue | undefined;
  try {
    name = nameNode && evaluate(nameNode, scope);
    if (typeof name !== "string" || args === undefined) return { reason: "a name that is not a string" };
    const unsure = findUnsure(ancestors);
    if (unsure !== undefined) throw new Dynamic(unsure.description, unsure.node);
    return { name, ability: abilityOf(name, args, scope) };
  } catch (error) {
    if (!(error instanceof Dynamic)) throw error;
    return { ...(typeof name === "string" && { name }), reason: error.message };
  }
}

const UNSURE: { readonly [kind: string]: string | undefined } = {
  foreach: "a loop",
  for: "a loop",
  while: "a loop",
  do: "a loop",
  if: "a condition",
  switch: "a condition",
  try: "a condition",
};

/**
 * Returns the condition or loop around a registration. A check that the Abilities API exists does not count.
 */
function findUnsure(
  ancestors: readonly PhpNode[],
): { readonly description: string; readonly node: PhpNode } | undefined {
  const inner = ancestors.slice(ancestors.findLastIndex(({ kind }) => FUNCTIONS.has(kind)) + 1);
  for (const node of inner) {
    const description = UNSURE[node.kind];
    const test = childOf(node, "test");
    const isGuard =
      test?.kind === "call" && /^(?:function|class)_exists$/.test(nameOf(childOf(test, "what")) ?? "");
    if (description !== undefined && !isGuard) return { description, node };
  }
  return undefined;
}

const PARTS = ["label", "description", "category", "input_schema", "output_schema", "meta"] as const;

function abilityOf(name: string, args: PhpNode, scope: Scope): AbilitySnapshot {
  if (args.kind !== "array") throw new Dynamic("a definition that is not a literal", args);
  const parts = new Map<string, PhpNode>();
  for (const item of childrenAt(args, "items")) {
    const [key, value] = [childOf(item, "key"), childOf(item, "value")];
    if (key === undefined || value === undefined || item["unpack"] === true)
      throw new Dynamic("a definition that is not a literal", args);
    const part = evaluate(key, scope);
    if (typeof part === "string") parts.set(part, value);
  }
  const own = parts.get("ability_class");
  if (own !== undefined) throw new Dynamic("a custom class", own);
  const read = PARTS.flatMap((key): readonly (readonly [string, JsonValue])[] => {
    const node = parts.get(key);
    const value = node === undefined ? undefined : toJson(evaluate(node, scope));
    if (key === "meta") return [[key, withDefaults(value ?? {})]];
    return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[key, value]];
  });
  return { ...Object.fromEntries(read), name };
}

/** Adds the defaults of WordPress. */
function withDefaults(written: JsonValue): JsonValue {
  const meta = objectOf(written);
  const annotations = objectOf(meta["annotations"]);
  return {
    ...meta,
    annotations: { readonly: null, destructive: null, idempotent: null, ...annotations },
    show_in_rest: meta["show_in_rest"] ?? meta["public"] ?? false,
    public: meta["public"] ?? false,
  };
}

function objectOf(value: JsonValue | undefined): { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}
