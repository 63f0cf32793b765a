import { groupBy } from "../core/collections.js";
import { byCodeUnit } from "../core/json.js";
import { oneLine } from "../core/printable.js";
import { escapeComment, isReservedWord, isTakenGlobal, toCamelCase } from "../schema/print/identifiers.js";
import { printSignatureTypes, type SignatureType } from "../schema/print/print-signature.js";
import { decide, effectOf } from "../core/decide.js";
import type { Policy } from "../core/policy.js";
import type { RegisteredTool } from "../core/tool.js";
import { ownNameOf, serverNameOf } from "../core/tool-name.js";
import { readSchemas, readSignatureSchemas } from "../agent/toolset/describe-tool-data.js";

/** A tool as a function of scripts. */
export interface CodeFunction {
  /** Such as `shop.createOrder`. */
  readonly path: string;
  /** The global object that has it. */
  readonly server: string;
  readonly name: string;
  readonly tool: RegisteredTool;
}

/** Names that scripts use otherwise, beside those of the language. */
const TAKEN = new Set(["console", "parse", "eval", "escape", "unescape", "isNaN", "isFinite", "script"]);

const named = new WeakMap<readonly RegisteredTool[], readonly CodeFunction[]>();

/** Returns the functions of all tools of a source, also of hidden ones, so that no name depends on a policy. */
export function nameFunctions(tools: readonly RegisteredTool[]): readonly CodeFunction[] {
  const cached = named.get(tools);
  if (cached !== undefined) return cached;
  const servers = new Map<string, string>();
  const names = new Set<string>();
  const claim = (wanted: string): string => {
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? wanted : `${wanted}${count}`;
      if (names.has(name)) continue;
      names.add(name);
      return name;
    }
  };
  const sorted = [...tools].sort((a, b) => byCodeUnit(a.name, b.name));
  for (const server of [...new Set(sorted.map(serverNameOf))].sort(byCodeUnit)) {
    const name = toCamelCase(server);
    const isTaken = name === "" || isReservedWord(name) || isTakenGlobal(name) || TAKEN.has(name);
    servers.set(server, claim(isTaken ? `${name}Tools` : name));
  }
  const functions = sorted.map((tool): CodeFunction => {
    const server = servers.get(serverNameOf(tool)) ?? "";
    const wanted = toCamelCase(ownNameOf(tool));
    // An object with a "then" cannot be awaited.
    const isTaken = wanted === "" || wanted === "then" || isReservedWord(wanted);
    const path = claim(`${server}.${isTaken ? `${wanted}_` : wanted}`);
    return { path, server, name: path.slice(server.length + 1), tool };
  });
  named.set(tools, functions);
  return functions;
}

/** The types of a tool, `Args` and, if its answers are known, `Result` among them. */
interface Signature {
  readonly types: readonly SignatureType[];
  /** `?` if a call needs no arguments. */
  readonly mark: "" | "?";
  readonly result: "Result" | "unknown";
}

const printed = new WeakMap<RegisteredTool, Signature>();

function signatureOf(tool: RegisteredTool): Signature {
  const cached = printed.get(tool);
  if (cached !== undefined) return cached;
  let types: readonly SignatureType[];
  try {
    types = printSignatureTypes(readSignatureSchemas(tool), tool.dialect);
  } catch {
    // A schema that cannot be read.
    types = [{ name: "Args", text: "{ [key: string]: unknown }" }];
  }
  const { required } = readSchemas(tool).input;
  const mark = Array.isArray(required) && required.length > 0 ? "" : "?";
  const result = types.some(({ name }) => name === "Result") ? "Result" : "unknown";
  const signature: Signature = { types, mark, result };
  printed.set(tool, signature);
  return signature;
}

/** Declarations of what every script can use beside the language. */
export const SCRIPT_GLOBALS = `interface Console { log(...values: unknown[]): void; info(...values: unknown[]): void; warn(...values: unknown[]): void; error(...values: unknown[]): void; debug(...values: unknown[]): void }
declare const console: Console;
declare function parse(answer: unknown): any;
declare class ToolError extends Error { readonly code: string; readonly suggestion: string; readonly tool: string }
`;

/** Returns declarations of functions and globals by path, of those servers in full that are among the words of a script. */
export function declareFunctions(
  functions: readonly CodeFunction[],
  words: ReadonlySet<string>,
): { readonly [path: string]: string } {
  const servers = [...groupBy(functions, ({ server }) => server)].map(([server, ofServer]) => {
    // Its name alone still helps with a misspelt one.
    const text = words.has(server) ? declareServer(server, ofServer) : `declare const ${server}: {};\n`;
    return [`/servers/${server}.d.ts`, text] as const;
  });
  return Object.fromEntries([["/globals.d.ts", SCRIPT_GLOBALS], ...servers]);
}

function declareServer(server: string, functions: readonly CodeFunction[]): string {
  const lines = functions.flatMap(({ name, tool }) => {
    const { types, mark, result } = signatureOf(tool);
    const answer = result === "Result" ? `${name}.Result` : result;
    return [
      `  function ${name}(args${mark}: ${name}.Args): Promise<${answer}>;`,
      `  namespace ${name} {`,
      ...types.map((type) => `    type ${type.name} = ${type.text};`),
      "  }",
    ];
  });
  return [`declare namespace ${server} {`, ...lines, "}", ""].join("\n");
}

/** Declares a function as a module, in the form of generated code: with the types `<type>Input` and `<type>Output`. */
export function declareModule({ server, name, tool }: CodeFunction, type: string): string {
  const { types, mark, result } = signatureOf(tool);
  return [
    ...types.map((alias) => `type ${alias.name} = ${alias.text};`),
    `export type ${type}Input = Args;`,
    `export type ${type}Output = ${result};`,
    // Otherwise the compiler looks for references only in files that import the module.
    `export as namespace ${server}_${name};`,
    `export declare const ${name}: (args${mark}: Args) => Promise<${result}>;`,
  ].join("\n");
}

const LONGEST_DESCRIPTION = 160;

/** Prints the signature of a function for a model, with one line about it; `shared` has the types that were printed before. */
export function printFunction({ path, tool }: CodeFunction, policy: Policy, shared: Set<string>): string {
  const { types, mark } = signatureOf(tool);
  const textOf = (wanted: string): string => types.find(({ name }) => name === wanted)?.text ?? "unknown";
  const others = types
    .filter(({ name }) => name !== "Args" && name !== "Result")
    .map(({ name, text }) => `type ${name} = ${text};`)
    .filter((text) => !shared.has(text));
  for (const text of others) shared.add(text);
  const words = oneLine(tool.description ?? tool.title ?? "", LONGEST_DESCRIPTION);
  const about = [words, describeEffect(tool, policy)].filter((text) => text !== "").join(" ");
  return [
    ...(about === "" ? [] : [`/** ${escapeComment(about)} */`]),
    `${path}(args${mark}: ${textOf("Args")}): Promise<${textOf("Result")}>`,
    ...others,
  ].join("\n");
}

function describeEffect(tool: RegisteredTool, policy: Policy): string {
  if (!decide(tool, policy).isAllowed) return "(Writes are switched off.)";
  const effect = effectOf(tool, policy);
  if (effect === "reads") return "";
  return effect === "writes" ? "(Writes.)" : "(May destroy: the user is asked.)";
}
