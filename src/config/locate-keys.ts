import { toServerName } from "../core/tool-name.js";
import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import type { ParserOptions } from "prettier";
import type { KeyPath } from "../core/json-pointer.js";
import { findOwn } from "../core/json.js";

/** A position in a file. Lines and columns count from 1, columns and the offset in UTF-16 code units. */
export interface KeyPlace {
  readonly line: number;
  readonly column: number;
  /** From the start of the text, a byte order mark included. */
  readonly offset: number;
}

interface SyntaxNode {
  readonly type: string;
  readonly loc?: {
    readonly start: { readonly line: number; readonly column: number; readonly index: number };
  };
  readonly [key: string]: unknown;
}

/**
 * Finds the places of keys in a configuration file, with Prettier's parsers for JSON and TypeScript. A key that is
 * not written in the file, such as one in an object that a function returns, has the place of its nearest ancestor.
 *
 * @returns a place for each path, in order; undefined where no place is certain, and without Prettier
 */
export async function locateKeys(
  file: string,
  paths: readonly KeyPath[],
  text?: string,
): Promise<readonly (KeyPlace | undefined)[]> {
  const source = await parse(file, text ?? (await readFile(file, "utf8").catch(() => "")));
  return paths.map((path) => source && locate(source, path));
}

/** Returns the file and the line of a key, as far as they are certain: `mcp-codegen.config.ts:6`. */
export async function nameKey(file: string, path: KeyPath): Promise<string> {
  const [place] = await locateKeys(file, [path]);
  return place === undefined ? basename(file) : `${basename(file)}:${place.line}`;
}

/** A parsed file, and the way from the object in it to the configuration. */
interface ConfigSource {
  readonly tree: SyntaxNode;
  readonly root: SyntaxNode;
  readonly start: readonly string[];
  /** The length of the byte order mark, which the parser does not see. */
  readonly mark: number;
}

async function parse(file: string, text: string): Promise<ConfigSource | undefined> {
  try {
    const { parsers } = await import("prettier/plugins/babel");
    const parser = extname(file).startsWith(".json") ? parsers.json : parsers["babel-ts"];
    // These parsers read only the name of the file from the options.
    const options = { filepath: file } as ParserOptions;
    const tree: unknown = await parser.parse(text.replace(/^\uFEFF/, ""), options);
    if (!isNode(tree)) return undefined;
    const root = tree.type === "JsonRoot" ? child(tree, "node") : exportedObject(tree);
    const start = basename(file) === "package.json" ? ["mcp-codegen"] : [];
    return root && { tree, root, start, mark: text.startsWith("\uFEFF") ? 1 : 0 };
  } catch {
    // The file was valid when it was loaded. The message is still correct without a place.
    return undefined;
  }
}

/** The object that a module exports by default, as far as it is a literal in the module. */
function exportedObject(tree: SyntaxNode): SyntaxNode | undefined {
  const exported = statements(tree).find(({ type }) => type === "ExportDefaultDeclaration");
  const value = resolveValue(tree, exported && child(exported, "declaration"));
  if (value?.type !== "CallExpression") return value;
  const [argument, ...others] = children(value, "arguments");
  const isOurs = others.length === 0 && isDefineConfig(tree, child(value, "callee"));
  return isOurs ? resolveValue(tree, argument) : undefined;
}

function isDefineConfig(tree: SyntaxNode, callee: SyntaxNode | undefined): boolean {
  return statements(tree)
    .filter((node) => node.type === "ImportDeclaration" && child(node, "source")?.["value"] === "mcp-codegen")
    .flatMap((node) => children(node, "specifiers"))
    .some(
      (node) =>
        nameOf(child(node, "imported")) === "defineConfig" && nameOf(child(node, "local")) === nameOf(callee),
    );
}

function locate({ tree, root, start, mark }: ConfigSource, path: KeyPath): KeyPlace | undefined {
  const keys = [...start, ...path];
  let node: SyntaxNode | undefined = keys.length === 0 ? root : undefined;
  let value: SyntaxNode | undefined = root;
  for (const key of keys) {
    const next: SyntaxNode | undefined = value && findMember(value, key);
    if (next === undefined) break;
    node = next;
    value = resolveValue(tree, next.type === "ObjectProperty" ? child(next, "value") : next);
  }
  if (node?.loc === undefined) return undefined;
  const { line, column, index } = node.loc.start;
  return { line, column: column + 1, offset: index + mark };
}

/** The property or item of a literal; undefined if a spread or computed key may replace it. */
function findMember(value: SyntaxNode, key: string | number): SyntaxNode | undefined {
  if (value.type === "ArrayExpression") {
    const items = children(value, "elements");
    const isCertain = typeof key === "number" && !items.slice(0, key + 1).some(isSpread);
    return isCertain ? items[key] : undefined;
  }
  if (value.type !== "ObjectExpression") return undefined;
  const properties = children(value, "properties");
  const find = (isKey: (name: string | undefined) => boolean): SyntaxNode | undefined =>
    properties.findLast(
      (node) => isSpread(node) || node["computed"] === true || isKey(nameOf(child(node, "key"))),
    );
  // A server's key may have hyphens where its name has underscores.
  const last =
    find((name) => name === String(key)) ??
    find((name) => name !== undefined && toServerName(name) === String(key));
  return last?.type === "ObjectProperty" && last["computed"] !== true ? last : undefined;
}

const WRAPPERS = new Set([
  "ParenthesizedExpression",
  "TSAsExpression",
  "TSNonNullExpression",
  "TSSatisfiesExpression",
  "TSTypeAssertion",
]);

/** The value without type assertions, and with the initializer in place of a constant. */
function resolveValue(tree: SyntaxNode, node: SyntaxNode | undefined): SyntaxNode | undefined {
  let value = node;
  // The limit ends a cycle of constants.
  for (let steps = 0; value !== undefined && steps < 20; steps += 1) {
    if (WRAPPERS.has(value.type)) value = child(value, "expression");
    else if (value.type === "Identifier") value = initializerOf(tree, value["name"]);
    else return value;
  }
  return undefined;
}

function initializerOf(tree: SyntaxNode, name: unknown): SyntaxNode | undefined {
  const declarator = statements(tree)
    .map((node) => (node.type === "ExportNamedDeclaration" ? (child(node, "declaration") ?? node) : node))
    .filter((node) => node.type === "VariableDeclaration" && node["kind"] === "const")
    .flatMap((node) => children(node, "declarations"))
    .find((node) => nameOf(child(node, "id")) === name);
  return declarator && child(declarator, "init");
}

function statements(tree: SyntaxNode): readonly SyntaxNode[] {
  const program = child(tree, "program");
  return program === undefined ? [] : children(program, "body");
}

function isSpread({ type }: SyntaxNode): boolean {
  return type === "SpreadElement";
}

/** The name of an identifier or the value of a literal, as a string. */
function nameOf(node: SyntaxNode | undefined): string | undefined {
  const [quasi, ...others] = node === undefined ? [] : children(node, "quasis");
  const cooked = others.length === 0 ? findOwn(quasi?.["value"], "cooked") : undefined;
  const name = node?.["name"] ?? node?.["value"] ?? cooked;
  return typeof name === "string" || typeof name === "number" ? String(name) : undefined;
}

function child(node: SyntaxNode, key: string): SyntaxNode | undefined {
  const value = node[key];
  return isNode(value) ? value : undefined;
}

/** Stops at a gap, as in `[, 1]`, which has no node: later indexes would be wrong. */
function children(node: SyntaxNode, key: string): readonly SyntaxNode[] {
  const value = node[key];
  if (!Array.isArray(value)) return [];
  const gap = value.findIndex((item) => !isNode(item));
  return value.slice(0, gap === -1 ? undefined : gap).filter(isNode);
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
