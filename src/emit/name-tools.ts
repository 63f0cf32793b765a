import { omitUndefined } from "../core/collections.js";
import { sha256 } from "../core/digest.js";
import { McpCodegenError } from "../core/errors.js";
import { getOwn } from "../core/json.js";
import { isName, isReservedWord, toCamelCase, toPascalCase } from "../schema/print/identifiers.js";
import type { ServerNames, ToolCodeNames } from "./render-task.js";

const LONGEST_FILE_NAME = 80;
const HASH_LENGTH = 8;

/** Names that Windows reserves, with any extension and in any case. */
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)$/;

const RESERVED_FILES: ReadonlySet<string> = new Set(["index", "schemas", "server"]);

/**
 * Names that a wrapper cannot have: imports and declarations of generated modules, methods of a connection, `then`, and names that
 * TypeScript refuses at the top level.
 */
const RESERVED_EXPORTS: ReadonlySet<string> = new Set([
  "z",
  "server",
  "connect",
  "Tools",
  "then",
  "safe",
  "close",
  "toJSON",
  "__proto__",
  "Infinity",
  "NaN",
  "Object",
  "Promise",
  "RegExp",
  "exports",
  "globalThis",
  "module",
  "require",
  "defineServer",
  "defineTool",
  "connectTools",
  "Tool",
  "ToolContent",
  "CallOptions",
  "Connection",
  "Environment",
  "JSON",
  "RecordedCalls",
  "RecordedCallsOf",
  "ToolMembers",
  "ToolNames",
  "ToolsOf",
  "inputSchema",
]);

interface NamingRules {
  readonly stripPrefix?: string;
  readonly rename?: { readonly [tool: string]: string };
}

/** Returns the names of a tool. Throws `CONFIG_INVALID` for a `rename` that cannot be an export. */
export function nameTool(
  server: string,
  { name, hasOutput }: { readonly name: string; readonly hasOutput: boolean },
  rules: NamingRules,
): ToolCodeNames {
  const checks = { where: `servers.${server}.tools.rename`, isTaken: isReserved };
  const wrapper = findRename(rules.rename, name, checks) ?? wrapperOf(stripped(name, rules.stripPrefix));
  const type = typeOf(wrapper);
  return omitUndefined({
    tool: name,
    file: fileOf(wrapper),
    wrapper,
    input: `${type}Input`,
    output: hasOutput ? `${type}Output` : undefined,
  });
}

/** Returns one line for every file or export that two tools of a server share; empty without collisions. */
export function findCollisions(server: string, tools: readonly ToolCodeNames[]): readonly string[] {
  const claims = tools.map(({ tool, file, wrapper, input, output }) => ({
    id: tool,
    names: [wrapper, input, ...(output === undefined ? [] : [output]), `${file}.ts`],
  }));
  return describeCollisions(claims, { noun: "Tools", rename: `servers.${server}.tools.rename` });
}

/** How many of those that share a name are shown. Unlike tools, hundreds of resources may be called alike. */
const MOST_SHOWN = 6;

/** What a tool, a prompt or a resource is called in code. */
interface NameClaim {
  readonly id: string;
  readonly names: readonly string[];
}

/** Returns one line for every name that several claim; `rename` is the key of the configuration that separates them. */
export function describeCollisions(
  all: readonly NameClaim[],
  { noun, rename }: { readonly noun: string; readonly rename: string },
): readonly string[] {
  const owners = new Map<string, string>();
  const claims = new Map<string, Set<string>>();
  const claim = (name: string, id: string): void => {
    const owner = owners.get(name);
    if (owner === undefined) owners.set(name, id);
    else if (owner !== id) claims.set(name, (claims.get(name) ?? new Set([owner])).add(id));
  };
  for (const { id, names } of all) for (const name of names) claim(name, id);
  // Those that share one export usually share others: one line is enough.
  const reported = new Set<string>();
  return [...claims].flatMap(([name, claimants]) => {
    const quoted = [...claimants].map((id) => JSON.stringify(id));
    const key = quoted.join(" ");
    if (reported.has(key)) return [];
    reported.add(key);
    const shown = quoted.length > MOST_SHOWN ? quoted.slice(0, MOST_SHOWN - 1) : quoted.slice(0, -1);
    const rest = quoted.length > MOST_SHOWN ? `${quoted.length - shown.length} others` : quoted.at(-1);
    const all = `${shown.join(", ")} and ${rest ?? ""}`;
    return [`${noun} ${all} ${quoted.length === 2 ? "both" : "all"} become ${name}. Set ${rename}.`];
  });
}

/** Returns the folder of a server and its name in the index of servers. Keys are `[a-z][a-z0-9_]*`. */
export function nameServer(server: string): ServerNames {
  return {
    server,
    folder: DEVICE_NAME.test(server) ? `${server}_` : server,
    namespace: isReservedWord(server) || server === "then" ? `${server}_` : server,
  };
}

/**
 * Returns the configured name of a tool, a prompt or a resource; undefined without one.
 *
 * @param checks.where the key of the configuration
 * @throws McpCodegenError `CONFIG_INVALID` for a name that cannot be an export
 */
export function findRename(
  rename: { readonly [id: string]: string } | undefined,
  id: string,
  checks: { readonly where: string; readonly isTaken: (name: string) => boolean },
): string | undefined {
  const name = getOwn(rename ?? {}, id);
  if (name === undefined) return undefined;
  const where = `${checks.where}[${JSON.stringify(id)}]`;
  if (!isName(name))
    throw new McpCodegenError(
      "CONFIG_INVALID",
      `${where} is ${JSON.stringify(name)}, which is not an identifier.`,
      { hint: "Use letters, digits and _, and do not start with a digit." },
    );
  if (checks.isTaken(name))
    throw new McpCodegenError(
      "CONFIG_INVALID",
      `${where} is "${name}", which generated code cannot export.`,
      { hint: "Choose another name." },
    );
  return name;
}

function stripped(name: string, prefix: string | undefined): string {
  return prefix !== undefined && name.startsWith(prefix) && name !== prefix
    ? name.slice(prefix.length)
    : name;
}

function wrapperOf(name: string): string {
  const wrapper = toCamelCase(name);
  if (wrapper === "") return `tool${hashOf(name)}`;
  return isReserved(wrapper) ? `${wrapper}_` : wrapper;
}

/** `getUser` gives `GetUser`, `delete_` gives `Delete`, `_3dRender` gives `_3dRender`. */
export function typeOf(wrapper: string): string {
  const type = toPascalCase(wrapper);
  return type === "" ? `Tool${hashOf(wrapper)}` : type;
}

/** Whether a wrapper in the module of a tool cannot have the name. */
export function isReserved(name: string): boolean {
  return isReservedWord(name) || RESERVED_EXPORTS.has(name);
}

/** Returns a file name in kebab case, unique whatever the case. Names that are long or not ASCII get a hash. */
function fileOf(wrapper: string): string {
  const kebab = wrapper
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .toLowerCase();
  const needsHash = /[^\w$]/.test(wrapper) || kebab === "" || kebab.length > LONGEST_FILE_NAME;
  if (needsHash) {
    const room = LONGEST_FILE_NAME - HASH_LENGTH - 1;
    return [kebab.slice(0, room).replace(/-$/, ""), hashOf(wrapper)].filter((part) => part !== "").join("-");
  }
  return DEVICE_NAME.test(kebab) || RESERVED_FILES.has(kebab) ? `${kebab}_` : kebab;
}

export function hashOf(text: string): string {
  return sha256(text).slice(0, HASH_LENGTH);
}
