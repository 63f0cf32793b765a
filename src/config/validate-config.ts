import { objectOrEmpty } from "../core/json.js";
import { type KeyPath, formatKeyPath } from "../core/json-pointer.js";
import { quoteAll } from "../core/collections.js";
import { nameServers, ofServer, toServerName } from "../core/tool-name.js";
import { STATIC_TOOLS } from "../core/connection.js";
import { McpCodegenError } from "../core/errors.js";
import { FOCUS_MODES, ROLES } from "../core/policy.js";
import { ALL_RULES, adviseOnRule } from "../drift/rules.js";
import { findProblems, type FormatProblem, matchesFormat } from "../core/format.js";
import { CONFIG_FORMAT, DEFAULT_OUTPUT, type CompleteConfig, type Config } from "./config.js";
import { findSecrets, type ConfigProblem } from "./find-secrets.js";
import type { KeyPlace } from "./locate-keys.js";
import { findTexts } from "./match-tools.js";
import { nearestName } from "../core/nearest-name.js";

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
  if (!matchesFormat(CONFIG_FORMAT, value)) {
    const problems = findProblems(CONFIG_FORMAT, value);
    throw await refuse("CONFIG_INVALID", problems.map(explain), name, locate);
  }
  const unknown = [...findUnknownRules(value), ...findUnknownInPolicy(value)];
  if (unknown.length > 0) throw await refuse("CONFIG_INVALID", unknown, name, locate);
  const secrets = findSecrets(value);
  if (secrets.length > 0) throw await refuse("SECRET_LITERAL", secrets, name, locate);
  const repeated = [
    ...findRepeated(value.servers, ["servers"]),
    ...findRepeated(objectOrEmpty(value.policy?.writes), ["policy", "writes"]),
  ];
  if (repeated.length > 0) throw await refuse("CONFIG_INVALID", repeated, name, locate);
  const { servers, policy } = value;
  return {
    ...value,
    servers: nameServers(servers),
    ...(typeof policy?.writes === "object" && { policy: { ...policy, writes: nameServers(policy.writes) } }),
    output: value.output ?? DEFAULT_OUTPUT,
  };
}

/** Returns a problem for each key with hyphens beside the same key with underscores. */
function findRepeated(table: object, path: KeyPath): readonly ConfigProblem[] {
  const keys = Object.keys(table);
  return keys.flatMap((key): readonly ConfigProblem[] => {
    const other = keys.find((each) => each !== key && each === toServerName(key));
    if (other === undefined) return [];
    const place = [...path, key];
    const text = `${formatKeyPath(place)}: there is also "${other}", and a hyphen counts as an underscore`;
    return [{ path: place, text }];
  });
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

/** Returns a problem for each unknown rule in `check.rules`. */
function findUnknownRules(config: Config): readonly ConfigProblem[] {
  const rules = [[], ["servers", "*"]].flatMap((steps) =>
    findTexts(config, [...steps, "check", "rules", "{}"]),
  );
  const unknown = rules.filter(({ text }) => !ALL_RULES.has(text));
  return unknown.map(({ key: path, text: rule }) => {
    const nearest = nearestName(rule, ALL_RULES.keys());
    const suggestion =
      nearest === undefined ? '; "npx mcp-codegen explain" lists them' : `, did you mean "${nearest}"?`;
    const where = formatKeyPath(path.slice(0, -1));
    return { path, text: `${where}: unknown rule "${rule}"${adviseOnRule(rule) || suggestion}` };
  });
}

/** Returns a problem for each unknown focus mode, role and server in `policy`. */
function findUnknownInPolicy({ policy, servers }: Config): readonly ConfigProblem[] {
  if (policy === undefined) return [];
  const choices: readonly (readonly [noun: string, steps: readonly string[], ...tables: object[]])[] = [
    ["focus mode", ["focusMode"], FOCUS_MODES, policy.focusModes ?? {}],
    ["role", ["role"], ROLES, policy.roles ?? {}],
    ["server", ["writes", "{}"], servers, { [STATIC_TOOLS]: true }],
  ];
  return choices.flatMap(([noun, steps, ...tables]) => {
    const names = tables.flatMap((table) => Object.keys(table));
    const unknown = findTexts(policy, steps, ["policy"]).filter(
      ({ text }) => !names.includes(text) && !(noun === "server" && ofServer(servers, toServerName(text))),
    );
    return unknown.map(({ key: path, text }) => ({
      path,
      text: `${formatKeyPath(path)}: unknown ${noun} ${JSON.stringify(text)}; known: ${quoteAll(names)}`,
    }));
  });
}

function explain({ path, text, knownKeys, isMissing }: FormatProblem): ConfigProblem {
  const at = (place: KeyPath): string => (place.length === 0 ? "" : `${formatKeyPath(place)}: `);
  const parent = path.slice(0, -1);
  const key = String(path.at(-1));
  if (isMissing) return { path: parent, text: `${at(parent)}missing key "${key}"` };
  if (knownKeys === undefined) return { path, text: at(path) + text };
  const isSettings = parent.length === 1 || parent.length === 3;
  const instead = isSettings ? REPLACED.get(`${parent.at(-1)}.${key}`) : undefined;
  const nearest = nearestName(key, knownKeys);
  const near =
    nearest === undefined ? `; known keys: ${quoteAll(knownKeys)}` : `, did you mean "${nearest}"?`;
  const suggestion = instead === undefined ? near : `; use ${instead}`;
  return { path, text: `${at(parent)}unknown key "${key}"${suggestion}` };
}

/** Keys of earlier versions, with their successors. */
const REPLACED: ReadonlyMap<string, string> = new Map([
  ["check.consumers", '"check --against" with the lock of each caller'],
  ["php.stubs", '"options" or "constants", or define the functions in "bootstrap"'],
]);
