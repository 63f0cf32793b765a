import * as v from "valibot";
import { type KeyPath, formatKeyPath } from "../core/json-pointer.js";
import { STATIC_TOOLS, type AuthSettings, type EndpointSettings } from "../core/connection.js";
import { DEFAULT_VIEW } from "../core/snapshot.js";
import { McpCodegenError } from "../core/errors.js";
import { configSchema, knownKeys } from "./config-schema.js";
import { DEFAULT_OUTPUT, type CompleteConfig, type Config, type PhpConfig } from "./config.js";
import { findSecrets, type ConfigProblem } from "./find-secrets.js";
import type { KeyPlace } from "./locate-keys.js";
import { splitCommand, toServerName } from "./parse-server-argument.js";
import { nearestName } from "../core/words/words.js";

/** Finds the places of keys in a configuration file: a place or undefined for each path. */
type LocateKeys = (paths: readonly KeyPath[]) => Promise<readonly (KeyPlace | undefined)[]>;

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
  const misplaced = [
    ...findMisplaced(value),
    ...(await findUnknownRules(value)),
    ...(await findUnknownInPolicy(value)),
  ];
  if (misplaced.length > 0) throw await refuse("CONFIG_INVALID", misplaced, name, locate);
  const secrets = findSecrets(value);
  if (secrets.length > 0) throw await refuse("SECRET_LITERAL", secrets, name, locate);
  return { ...value, output: value.output ?? DEFAULT_OUTPUT };
}

async function refuse(
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

const COMMAND_KEYS = ["args", "env", "cwd"] as const;
const URL_KEYS = ["auth", "headers", "transport"] as const;

function findMisplaced(config: Config): readonly ConfigProblem[] {
  return Object.entries(config.servers).flatMap(([name, server]) => [
    ...findMisplacedKeys(server, ["servers", name], true),
    ...(server.php === undefined ? [] : findMisplacedInPhp(server.php, ["servers", name, "php"])),
    ...Object.entries(server.environments ?? {}).flatMap(([environment, endpoint]) =>
      findMisplacedKeys(endpoint, ["servers", name, "environments", environment], false),
    ),
    ...Object.entries(server.variants ?? {}).flatMap(([variant, endpoint]) => {
      const path = ["servers", name, "variants", variant];
      return [...findMisplacedKeys(endpoint, path, false), ...findReserved(variant, path)];
    }),
  ]);
}

function findReserved(variant: string, path: readonly string[]): readonly ConfigProblem[] {
  return variant === DEFAULT_VIEW
    ? [{ path, text: `${formatKeyPath(path)}: "${DEFAULT_VIEW}" is the name of the server's own settings` }]
    : [];
}

/** Plugins run in exactly one place: the stub, a WordPress on disk, or one behind a command. */
function findMisplacedInPhp(php: PhpConfig, path: readonly string[]): readonly ConfigProblem[] {
  const where = formatKeyPath(path);
  if (php.wordpress !== undefined && php.command !== undefined) {
    return [{ path, text: `${where}: expected "wordpress" or "command", not both` }];
  }
  if (php.paths === undefined && php.wordpress === undefined && php.command === undefined) {
    return [{ path, text: `${where}: expected "paths", "wordpress" or "command"` }];
  }
  return typeof php.command === "string" && !splitCommand(php.command)?.[0]
    ? [
        {
          path: [...path, "command"],
          text: `${where}.command: expected a program, with every quotation mark closed`,
        },
      ]
    : [];
}

type ServerEndpoint = EndpointSettings & { readonly file?: string; readonly php?: PhpConfig };

function findMisplacedKeys(
  endpoint: ServerEndpoint,
  path: readonly string[],
  isServer: boolean,
): readonly ConfigProblem[] {
  const where = formatKeyPath(path);
  const kinds = (["url", "command", "file"] as const).filter((key) => endpoint[key] !== undefined);
  if (kinds.length > 1 || (isServer && kinds.length === 0 && endpoint.php === undefined)) {
    const choices = isServer ? '"url", "command" and "file", or "php"' : '"url" and "command"';
    return [{ path, text: `${where}: expected exactly one of ${choices}` }];
  }
  const [kind] = kinds;
  const only = (keys: readonly (keyof EndpointSettings)[], needed: string): ConfigProblem[] =>
    kind === undefined || kind === needed
      ? []
      : keys
          .filter((key) => endpoint[key] !== undefined)
          .map((key) => ({
            path: [...path, key],
            text: `${formatKeyPath([...path, key])}: applies only together with "${needed}"`,
          }));
  return [
    ...only(COMMAND_KEYS, "command"),
    ...only(URL_KEYS, "url"),
    ...findIncompleteClient(endpoint.auth, [...path, "auth"]),
  ];
}

/** Without the issuer, the MCP server would choose who receives the secret. */
function findIncompleteClient(
  auth: AuthSettings | undefined,
  path: readonly string[],
): readonly ConfigProblem[] {
  if (auth === undefined || !("type" in auth)) return [];
  const isComplete = auth.clientId !== undefined && auth.issuer !== undefined;
  return auth.clientSecret === undefined || isComplete
    ? []
    : [{ path, text: `${formatKeyPath(path)}: "clientSecret" needs "clientId" and "issuer"` }];
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
  const { ALL_RULES } = await import("../drift/rules.js");
  return named.flatMap(({ path, rule }) => {
    if (ALL_RULES.has(rule)) return [];
    const nearest = nearestName(rule, [...ALL_RULES.keys()]);
    const suggestion =
      nearest === undefined ? '; "npx mcp-codegen rules" lists them' : `, did you mean "${nearest}"?`;
    return [{ path: [...path, rule], text: `${formatKeyPath(path)}: unknown rule "${rule}"${suggestion}` }];
  });
}

/**
 * Returns a problem for each unknown focus mode, role and server in `policy`. Loads the table of modes and roles only
 * if the configuration has a policy.
 */
async function findUnknownInPolicy({ policy, servers }: Config): Promise<readonly ConfigProblem[]> {
  if (policy === undefined) return [];
  const { FOCUS_MODES, ROLES } = await import("../agent/policy/policy.js");
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
  known: readonly string[],
): readonly ConfigProblem[] {
  if (name === undefined || known.includes(name)) return [];
  const names = known.map((one) => JSON.stringify(one)).join(", ");
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
  return at(`${inParent}unknown key "${key}"${didYouMean(String(key), knownKeys(parent))}`);
}

/** Returns a suggestion for an unknown name: `, did you mean "…"?`, else the known names, else an empty string. */
function didYouMean(name: string, known: readonly string[] = []): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `, did you mean "${nearest}"?`;
  return known.length === 0 ? "" : `; known keys: ${known.map((key) => `"${key}"`).join(", ")}`;
}
