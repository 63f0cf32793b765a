import { describeTool, readStatedEffect, type StatedEffect } from "../../core/snapshot.js";
import { ENTRY_LIST_NAMES } from "../../core/entries.js";
import { McpCodegenError } from "../../core/errors.js";
import {
  byCodeUnit,
  findOwn,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../core/json.js";
import type { LockedServer, LockedTool, Lockfile } from "../../core/lockfile.js";
import { printable, printJson } from "../../core/printable.js";
import { estimateTokens, sumTokens } from "../../core/model-schema.js";
import type { Dialect } from "../../core/schema-ir.js";
import { readLiveSchema } from "../../schema/interpret/live-schema.js";
import type { Config } from "../../config/config.js";
import { nameServer, nameTools } from "../../emit/name-tools.js";
import { generateValue } from "../../testing/make-value.js";
import { present, quoteForShell } from "../layout.js";
import { printSignature } from "../../schema/print/print-signature.js";
import { deriveCategory } from "../../core/words/derive-category.js";
import type { PageServer, PageTool } from "./page-data.js";

/** The configuration of a project, for the names in its generated code. */
export interface PageProject {
  readonly config: Pick<Config, "servers">;
  /** The output folder, posix, relative to the configuration; absent where no code is generated. */
  readonly output?: string | undefined;
}

/** A longer example is not copied. */
const LONGEST_EXAMPLE = 2_000;

/** Returns the servers of a lock, by name. */
export function describeServers(lock: Lockfile): readonly PageServer[] {
  return Object.entries(lock.servers)
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([name, server]) => describeServer(name, server));
}

function describeServer(name: string, server: LockedServer): PageServer {
  const { serverInfo, protocolVersion, instructions } = server.identity;
  const identity = [getOwn(serverInfo, "name"), getOwn(serverInfo, "version")].filter(
    (text): text is string => typeof text === "string" && text !== "",
  );
  return {
    name,
    contract: server.contract,
    identity: identity.length > 0 ? identity.join(" ") : undefined,
    protocol: protocolVersion === "" ? undefined : protocolVersion,
    instructions,
    ...sumTokens(server),
    entries: ENTRY_LIST_NAMES.flatMap((list) => {
      const ids = Object.keys(server[list] ?? {});
      return ids.length === 0 ? [] : [{ list, ids }];
    }),
  };
}

/** Returns the tools of a lock, by server and name. */
export async function describePageTools(
  lock: Lockfile,
  project: PageProject | undefined,
): Promise<readonly PageTool[]> {
  const described = Object.entries(lock.servers)
    .sort(([a], [b]) => byCodeUnit(a, b))
    .flatMap(([server, { tools, wordpress }]) => {
      const names = Object.keys(tools).sort(byCodeUnit);
      const named = names.map((name) => ({ name, hasOutput: false }));
      const settings = getOwn(project?.config.servers ?? {}, server);
      const dialect = settings?.dialect ?? (wordpress && "wordpress");
      const { output } = project ?? {};
      return nameTools(server, named, settings?.tools ?? {}).flatMap(({ tool: name, wrapper }) => {
        const tool = getOwn(tools, name);
        return tool === undefined ? [] : [describePageTool(server, name, tool, { wrapper, output, dialect })];
      });
    });
  return Promise.all(described);
}

async function describePageTool(
  server: string,
  name: string,
  tool: LockedTool,
  context: {
    readonly wrapper: string;
    /** The output folder; undefined without generated code. */
    readonly output: string | undefined;
    readonly dialect: Dialect | undefined;
  },
): Promise<PageTool> {
  const { wrapper, output: folder, dialect } = context;
  const { definition, unusable, ability } = tool;
  const words = describeTool(definition);
  const input = getOwn(definition, "inputSchema") ?? {};
  const output = getOwn(definition, "outputSchema");
  const args = await undefinedIfRefused(() => argumentsOf(input, dialect));
  const isCallable = unusable === undefined && folder !== undefined;
  return {
    server,
    name,
    title: words.title,
    description: words.description ?? "",
    category: tool.category ?? deriveCategory(name) ?? "uncategorized",
    tokens: tool.tokens ?? estimateTokens(definition),
    isEstimate: tool.tokens === undefined,
    effect: readStatedEffect(words.annotations),
    hints: hintsOf(definition, words),
    unusable,
    generatedName: isCallable ? wrapper : undefined,
    signature: await undefinedIfRefused(() => printSignature({ input, output })),
    code: isCallable ? codeOf(server, wrapper, args, folder) : undefined,
    command: commandOf(server, name, args),
    input,
    output,
    ability: ability && ownerOf(ability.definition.name, ability.file),
  };
}

/** The meaning of annotations for callers. By the specification, absent ones mean the worst. */
const ANNOTATION_WORDS: Readonly<Record<string, Readonly<Record<"true" | "false", string>>>> = {
  idempotentHint: { true: "safe to repeat", false: "repeating it has another effect" },
  openWorldHint: { true: "reaches other systems", false: "stays within its own system" },
};

const APPROVAL_WORDS: Readonly<Record<StatedEffect, string>> = {
  reads: "runs without a question",
  writes: "runs where writes are enabled",
  destroys: "asks before it runs",
  unstated: "asks before it runs",
};

function hintsOf(definition: JsonObject, words: ReturnType<typeof describeTool>): readonly string[] {
  // The effect shows the first two.
  const { readOnlyHint: _reads, destructiveHint: _destroys, ...others } = words.annotations ?? {};
  const annotations = Object.entries(others).map(
    ([key, value]) => getOwn(ANNOTATION_WORDS, key)?.[value ? "true" : "false"] ?? `${key}: ${String(value)}`,
  );
  const deprecated = findOwn(getOwn(definition, "_meta"), "deprecated");
  return present(
    APPROVAL_WORDS[readStatedEffect(words.annotations)],
    ...annotations,
    words.visibility && "only for user interfaces",
    deprecated !== undefined && deprecated !== false && "deprecated",
  );
}

/** Returns undefined for a schema that cannot be parsed. */
async function undefinedIfRefused<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof McpCodegenError) return undefined;
    throw error;
  }
}

/** Arguments that the schema accepts; undefined where none are found, or they are too long to copy. */
async function argumentsOf(input: JsonValue, dialect: Dialect | undefined): Promise<JsonObject | undefined> {
  const judge = readLiveSchema(input, dialect, { formats: "assert" });
  const sample = await generateValue(input, judge, { seed: "1", plain: true, dialect });
  return isJsonObject(sample) && JSON.stringify(sample).length <= LONGEST_EXAMPLE ? sample : undefined;
}

function codeOf(server: string, wrapper: string, args: JsonObject | undefined, output: string): string {
  const { folder, namespace } = nameServer(server);
  const base = output === "" ? "." : output.startsWith(".") ? output : `./${output}`;
  const input = args === undefined ? "{ /* … */ }" : printLiteral(args, 0);
  return [
    `import { connect } from ${JSON.stringify(`${base}/${folder}/index.js`)};`,
    "",
    `const ${namespace} = connect();`,
    `const result = await ${namespace}.${wrapper}(${input});`,
  ].join("\n");
}

/** JSON as TypeScript, with bare names as keys; on one line where it is short. */
function printLiteral(value: JsonValue, depth: number): string {
  if (isJsonArray(value)) return `[${value.map((item) => printLiteral(item, depth + 1)).join(", ")}]`;
  if (!isJsonObject(value)) return printJson(value);
  const members = Object.entries(value).map(([key, member]) => {
    // In a literal, "__proto__" sets the prototype unless its key is computed.
    const name =
      key === "__proto__" ? '["__proto__"]' : /^[A-Za-z_$][\w$]*$/.test(key) ? key : printJson(key);
    return `${name}: ${printLiteral(member, depth + 1)}`;
  });
  const line = `{ ${members.join(", ")} }`;
  if (members.length === 0) return "{}";
  if (line.length <= 64) return line;
  const indent = "  ".repeat(depth + 1);
  return `{\n${members.map((member) => `${indent}${member},\n`).join("")}${"  ".repeat(depth)}}`;
}

/** Undefined if the line has invisible characters, since it is meant to be copied. */
function commandOf(server: string, name: string, args: JsonObject | undefined): string | undefined {
  const hasArguments = args !== undefined && Object.keys(args).length > 0;
  const input = hasArguments ? ` --input ${quoteForShell(printJson(args, 0))}` : "";
  const line = `npx mcp-codegen call${input} ${quoteForShell(`${server}__${name}`)}`;
  return printable(line, line.length) === line ? line : undefined;
}

/** The plugin is the folder below `plugins`, where the file has one. */
function ownerOf(name: string, file: string | undefined): NonNullable<PageTool["ability"]> {
  const plugin = file === undefined ? undefined : /(?:^|\/)plugins\/([^/]+)\//.exec(file)?.[1];
  return { name, plugin, file };
}
