import * as v from "valibot";
import { type KeyPath, formatKeyPath } from "../core/json-pointer.js";
import { STATIC_TOOLS } from "../core/connection.js";
import { McpCodegenError } from "../core/errors.js";
import { configSchema, knownKeys } from "./config-schema.js";
import { DEFAULT_OUTPUT, type CompleteConfig, type Config } from "./config.js";
import { findSecrets, type ConfigProblem } from "./find-secrets.js";
import type { KeyPlace } from "./locate-keys.js";
import { toServerName } from "./parse-server-argument.js";
import { nearestName } from "../core/words/words.js";

/** Finds the places of keys in a configuration file: a place or undefined for each path. */
export type LocateKeys = (paths: readonly KeyPath[]) => Promise<readonly (KeyPlace | undefined)[]>;

/**
 * Validates a configuration and adds its defaults.
 *
 * @param name How messages call the configuration, such as the name of its file.
 * @param locate Adds line and column to messages; called only if there are problems.
 * @throws McpCodegenError `CONFIG_INVALID` or `SECRET_LITERAL`, with a line for each problem. No message contains a
 * value of the configuration, since it may be a secret.
 */
export async function validateConfig(
  value: unknown,
  name: string,
  locate?: LocateKeys,
): Promise<CompleteConfig> {
  // The value itself is returned, since the parser's output lacks keys such as `__proto__`.
  if (!v.is(configSchema, value)) {
    const issues = v.safeParse(configSchema, value).issues ?? [];
    throw await refuse("CONFIG_INVALID", issues.map(explainIssue), name, locate);
  }
  const unknown = [...(await findUnknownRules(value)), ...(await findUnknownInPolicy(value))];
  if (unknown.length > 0) throw await refuse("CONFIG_INVALID", unknown, name, locate);
  const secrets = findSecrets(value);
  if (secrets.length > 0) throw await refuse("SECRET_LITERAL", secrets, name, locate);
  return { ...value, output: value.output ?? DEFAULT_OUTPUT };
}

/** Returns the error for problems of a configuration, each with its line and column where they are known. */
export async function refuse(
  code: "CONFIG_INVALID" | "SECRET_LITERAL",
  problems: readonly ConfigProblem[],
  name: string,
  locate: LocateKeys | undefined,
): Promise<McpCodegenError> {
  const places = (await locate?.(problems.map(({ path }) => path))) ?? [];
  const lines = problems.map(({ text }, index) => {
    const place = places[index];
    const where = place === undefined ? "" : `:${place.line}:${place.column}`;
    return `${JSON.stringify(name + where)}: ${text}`;
  });
  const hint =
    code === "SECRET_LITERAL"
      ? 'Write "${NAME}" and put the value into the environment or into ".env.local".'
      : undefined;
  return new McpCodegenError(code, lines.join("\n"), { hint });
}

/**
 * Returns a problem for each unknown rule in `check.rules`. Loads the table of rules only if the configuration names
 * one.
 */
async function findUnknownRules(config: Config): Promise<readonly ConfigProblem[]> {
  const named = [
    { path: ["check", "rules"], rules: config.check?.rules },
    ...Object.entries(config.servers).map(([name, server]) => ({
      path: ["servers", name, "check", "rules"],
      rules: server.check?.rules,
    })),
  ].flatMap(({ path, rules }) => Object.keys(rules ?? {}).map((rule) => ({ path, rule })));
  if (named.length === 0) return [];
  const { ALL_RULES, adviseOnRule } = await import("../drift/rules.js");
  return named.flatMap(({ path, rule }) => {
    if (ALL_RULES.has(rule)) return [];
    const nearest = nearestName(rule, [...ALL_RULES.keys()]);
    const suggestion =
      nearest === undefined ? '; "npx mcp-codegen explain" lists them' : `, did you mean "${nearest}"?`;
    const text = `${formatKeyPath(path)}: unknown rule "${rule}"${adviseOnRule(rule) || suggestion}`;
    return [{ path: [...path, rule], text }];
  });
}

/**
 * Returns a problem for each unknown focus mode, role and server in `policy`. Loads the table of modes and roles only
 * if the configuration has a policy.
 */
async function findUnknownInPolicy({ policy, servers }: Config): Promise<readonly ConfigProblem[]> {
  if (policy === undefined) return [];
  const { FOCUS_MODES, ROLES } = await import("../core/policy.js");
  const { focusMode, role, focusModes = {}, roles = {}, writes } = policy;
  return [
    ...explainUnknown("focus mode", ["focusMode"], focusMode, [
      ...Object.keys(FOCUS_MODES),
      ...Object.keys(focusModes),
    ]),
    ...explainUnknown("role", ["role"], role, [...Object.keys(ROLES), ...Object.keys(roles)]),
    ...Object.keys(typeof writes === "object" ? writes : {}).flatMap((server) =>
      explainUnknown("server", ["writes", server], server, [...Object.keys(servers), STATIC_TOOLS]),
    ),
  ];
}

function explainUnknown(
  what: string,
  path: KeyPath,
  name: string | undefined,
  choices: readonly string[],
): readonly ConfigProblem[] {
  if (name === undefined || choices.includes(name)) return [];
  const names = choices.map((each) => JSON.stringify(each)).join(", ");
  const full = ["policy", ...path];
  const text = `${formatKeyPath(full)}: unknown ${what} ${JSON.stringify(name)}; known: ${names}`;
  return [{ path: full, text }];
}

/** Suggests a valid server key, for an issue about an invalid one. */
function meantServer({ path }: v.GenericIssue): string {
  const [parent, server] = path ?? [];
  if (path?.length !== 2 || parent?.key !== "servers" || server?.origin !== "key") return "";
  return `, such as "${toServerName(String(server.key))}"`;
}

function explainIssue(issue: v.GenericIssue): ConfigProblem {
  const path = (issue.path ?? []).map(({ key }) => (typeof key === "number" ? key : String(key)));
  const at = (text: string): ConfigProblem => ({ path, text });
  const where = path.length === 0 ? "" : `${formatKeyPath(path)}: `;
  if (issue.type !== "strict_object") return at(`${where}${issue.message}${meantServer(issue)}`);
  const key = path.at(-1);
  const parent = path.slice(0, -1);
  const inParent = parent.length === 0 ? "" : `${formatKeyPath(parent)}: `;
  if (issue.expected !== "never" && key !== undefined) {
    return issue.received === "undefined" && issue.path?.at(-1)?.origin === "key"
      ? { path: parent, text: `${inParent}missing key "${key}"` }
      : at(`${where}${issue.message}`);
  }
  if (issue.expected !== "never" || key === undefined) return at(`${where}${issue.message}`);
  const isSettings = parent.length === 1 || parent.length === 3;
  const instead = isSettings ? REPLACED.get(`${String(parent.at(-1))}.${String(key)}`) : undefined;
  const suggestion = instead === undefined ? didYouMean(String(key), knownKeys(parent)) : `; use ${instead}`;
  return at(`${inParent}unknown key "${key}"${suggestion}`);
}

/** Keys of earlier versions, with their successors. */
const REPLACED: ReadonlyMap<string, string> = new Map([
  ["check.consumers", '"check --against" with the lock of each caller'],
  ["php.stubs", '"options" or "constants", or define the functions in "bootstrap"'],
]);

/** Returns a suggestion for an unknown name: `, did you mean "…"?`, else the known names, else an empty string. */
function didYouMean(name: string, names: readonly string[] = []): string {
  const nearest = nearestName(name, names);
  if (nearest !== undefined) return `, did you mean "${nearest}"?`;
  return names.length === 0 ? "" : `; known keys: ${names.map((key) => `"${key}"`).join(", ")}`;
}
