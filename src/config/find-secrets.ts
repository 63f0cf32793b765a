import { omitUndefined } from "../core/collections.js";
import { mapEntries } from "../core/json.js";
import type { AuthSettings, EndpointSettings, SettingText } from "../core/connection.js";
import { formatKeyPath, type KeyPath } from "../core/json-pointer.js";
import type { Config, PhpConfig, ServerConfig } from "./config.js";
import {
  fallbacksIn,
  hasVariable,
  isRandomSegment,
  isSecretName,
  isSecretValue,
  literalPart,
  variableName,
} from "../core/secret-shapes.js";
import { splitCommand } from "./parse-server-argument.js";

/** A problem in a configuration. */
export interface ConfigProblem {
  /** The path of the key in question; for a missing key, its parent. */
  readonly path: KeyPath;
  /** One line that names the key. It never contains a value of the configuration, which may be a secret. */
  readonly text: string;
}

/**
 * Returns a problem for each literal that is, or looks like, a secret. Its text names the place and never the value.
 */
export function findSecrets(config: Config): readonly ConfigProblem[] {
  return Object.entries(config.servers).flatMap(([name, server]) => [
    ...findInEndpoint(server, ["servers", name], name),
    ...findInPhp(server.php, ["servers", name, "php", "command"]),
    ...Object.entries(server.environments ?? {}).flatMap(([environment, endpoint]) =>
      findInEndpoint(endpoint, ["servers", name, "environments", environment], `${name}_${environment}`),
    ),
    ...Object.entries(server.variants ?? {}).flatMap(([variant, endpoint]) =>
      findInEndpoint(endpoint, ["servers", name, "variants", variant], `${name}_${variant}`),
    ),
  ]);
}

function findInEndpoint(endpoint: EndpointSettings, path: KeyPath, name: string): readonly ConfigProblem[] {
  const { url, auth, headers = {}, env = {}, args = [] } = endpoint;
  return [
    ...(url === undefined ? [] : findInUrl(url, [...path, "url"], name)),
    ...(auth === undefined ? [] : findInAuth(auth, [...path, "auth"], name)),
    ...Object.entries(headers).flatMap(([header, value]) =>
      isOpenLiteral(value) ? [refusal([...path, "headers", header], variableName(name, header))] : [],
    ),
    ...Object.entries(env).flatMap(([variable, value]) =>
      isSecretSetting(variable, value) ? [refusal([...path, "env", variable], variableName(variable))] : [],
    ),
    ...args.flatMap((argument, index) =>
      isSecretArgument(argument, args[index - 1])
        ? [problem([...path, "args", index], `looks like a secret; write ${variable(name, "TOKEN")}`)]
        : [],
    ),
  ];
}

/** WP-CLI needs no secrets to find its site, and a container has a separate environment. */
function findInPhp({ command = [] }: PhpConfig = {}, path: KeyPath): readonly ConfigProblem[] {
  const words = typeof command === "string" ? (splitCommand(command) ?? []) : command;
  return words.some((word, index) => isSecretArgument(word, words[index - 1]))
    ? [problem(path, "looks like a secret; have the program read it from the environment")]
    : [];
}

function findInAuth(auth: AuthSettings, path: KeyPath, name: string): readonly ConfigProblem[] {
  if ("bearer" in auth) {
    return isOpenLiteral(auth.bearer) ? [refusal([...path, "bearer"], variableName(name, "TOKEN"))] : [];
  }
  if ("type" in auth) {
    return auth.clientSecret !== undefined && isOpenLiteral(auth.clientSecret)
      ? [refusal([...path, "clientSecret"], variableName(name, "CLIENT_SECRET"))]
      : [];
  }
  return (["username", "password"] as const).flatMap((key) =>
    isOpenLiteral(auth.basic[key]) ? [refusal([...path, "basic", key], variableName(name, key))] : [],
  );
}

function problem(path: KeyPath, text: string): ConfigProblem {
  return { path, text: `${formatKeyPath(path)}: ${text}` };
}

function refusal(path: KeyPath, variable: string): ConfigProblem {
  return problem(
    path,
    `literal values are refused here; write "\${${variable}}", or { value, public: true } if it is not a secret`,
  );
}

function variable(...parts: readonly string[]): string {
  return `"\${${variableName(...parts)}}"`;
}

/** Any text under `auth` and `headers` counts as a secret unless it comes from a variable. */
function isOpenLiteral(setting: SettingText): boolean {
  if (typeof setting !== "string" || setting === "") return false;
  return !hasVariable(setting) || fallbacksIn(setting).length > 0 || isSecretValue(literalPart(setting));
}

/** Whether an environment variable or a flag holds a literal secret, judged by its name or by its shape. */
function isSecretSetting(name: string, setting: SettingText): boolean {
  if (typeof setting !== "string") return false;
  const literals = literalsIn(setting);
  if (literals.some(isSecretValue)) return true;
  if (!isSecretName(name)) return false;
  return hasVariable(setting)
    ? fallbacksIn(setting).length > 0
    : literals.some((literal) => !/^(?:true|false|yes|no|on|off|[01])$/i.test(literal));
}

/** Whether an argument is a literal secret, assigns one, or follows a flag that takes one. */
function isSecretArgument(argument: string, previous: string | undefined): boolean {
  if (literalsIn(argument).some(isSecretValue)) return true;
  const assigned = /^-{0,2}([\w.-]+)[=:](.+)$/s.exec(argument);
  if (assigned !== null) return isSecretSetting(assigned[1] ?? "", assigned[2] ?? "");
  return (
    previous !== undefined &&
    /^--?[A-Za-z][\w-]*$/.test(previous) &&
    !argument.startsWith("-") &&
    isSecretSetting(previous.replace(/^-+/, ""), argument)
  );
}

function findInUrl(url: string, path: KeyPath, name: string): readonly ConfigProblem[] {
  const userinfo = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i.exec(url)?.[1];
  if (userinfo !== undefined)
    return [problem(path, 'credentials in a URL are refused; use "auth": { "basic": … }')];
  const [location = "", query = ""] = (url.split("#")[0] ?? "").split(/\?(.*)/s);
  const isInPath = location.split("/").some(isSecretSegment);
  const parameters = query.split("&").flatMap((parameter) => {
    const [key = "", value = ""] = parameter.split(/=(.*)/s);
    return isSecretParameter(key, value)
      ? [
          problem(
            path,
            `the parameter "${key}" looks like a secret; write ${variable(name, key)} for its value`,
          ),
        ]
      : [];
  });
  return [
    ...(isInPath
      ? [problem(path, `a part of the path looks like a secret; write ${variable(name, "KEY")} for it`)]
      : []),
    ...parameters,
  ];
}

/** Whether a segment of a URL's path is a literal secret: some services put the account's key there. */
function isSecretSegment(segment: string): boolean {
  return literalsIn(segment).some((literal) => isSecretValue(literal) || isRandomSegment(literal));
}

/** Whether a query parameter holds a literal secret. */
function isSecretParameter(key: string, value: string): boolean {
  return literalsIn(value).some((literal) => isSecretName(key) || isSecretValue(literal));
}

function literalsIn(text: string): readonly string[] {
  return [literalPart(text), ...fallbacksIn(text)].filter((literal) => literal !== "");
}

/** A server's settings with a variable in place of every literal secret. */
export interface ReplacedSecrets {
  readonly server: ServerConfig;
  /** The new variables, which must be set, with the literals that they replace. */
  readonly literals: { readonly [variable: string]: string };
}

type Replace = (literal: string, ...name: readonly string[]) => string;

/** Replaces each literal that `findSecrets` would refuse in a server's own endpoint by `${NAME}`. */
export function replaceSecrets(name: string, server: ServerConfig): ReplacedSecrets {
  const literals = new Map<string, string>();
  const replace: Replace = (literal, ...parts) => {
    const variable = variableName(...parts);
    literals.set(variable, literal);
    return `\${${variable}}`;
  };
  const { url, auth, headers, env, args } = server;
  const located = url === undefined ? undefined : replaceInUrl(url, name, replace);
  const named = replaceInHeaders(headers ?? {}, name, replace);
  const credentials = auth === undefined ? (named.auth ?? located?.auth) : replaceInAuth(auth, name, replace);
  const replaced: ServerConfig = omitUndefined({
    ...server,
    url: located?.url,
    auth: credentials,
    headers: headers && named.headers,
    env:
      env &&
      mapEntries(env, (value, key) => (isSecretSetting(key, value) ? replace(textOf(value), key) : value)),
    args: args?.map((_, index) => replaceArgument(args, index, name, replace)),
  });
  return { server: withoutEmptyHeaders(replaced), literals: Object.fromEntries(literals) };
}

function textOf(setting: SettingText): string {
  return typeof setting === "string" ? setting : setting.value;
}

function replaceInAuth(auth: AuthSettings, name: string, replace: Replace): AuthSettings {
  const checked = (value: SettingText, key: string): SettingText =>
    isOpenLiteral(value) ? replace(textOf(value), name, key) : value;
  if ("type" in auth) {
    const { clientSecret } = auth;
    return clientSecret === undefined
      ? auth
      : { ...auth, clientSecret: checked(clientSecret, "client_secret") };
  }
  return "bearer" in auth
    ? { bearer: checked(auth.bearer, "token") }
    : {
        basic: {
          username: checked(auth.basic.username, "username"),
          password: checked(auth.basic.password, "password"),
        },
      };
}

/** Headers without credentials. */
const OPEN_HEADERS = /^(?:accept|accept-language|content-type|user-agent)$/i;

function replaceInHeaders(
  headers: NonNullable<ServerConfig["headers"]>,
  name: string,
  replace: Replace,
): { readonly headers: NonNullable<ServerConfig["headers"]>; readonly auth: AuthSettings | undefined } {
  const entries = Object.entries(headers);
  const bearer = entries.find(
    ([header, value]) =>
      header.toLowerCase() === "authorization" && typeof value === "string" && /^Bearer +\S/i.test(value),
  );
  const rest = entries.filter((entry) => entry !== bearer);
  const token = typeof bearer?.[1] === "string" ? bearer[1].replace(/^Bearer +/i, "") : undefined;
  return {
    headers: Object.fromEntries(
      rest.map(([header, value]): [string, SettingText] => {
        if (typeof value !== "string" || !isOpenLiteral(value)) return [header, value];
        return [header, OPEN_HEADERS.test(header) ? { value, public: true } : replace(value, name, header)];
      }),
    ),
    auth:
      token === undefined
        ? undefined
        : { bearer: isOpenLiteral(token) ? replace(token, name, "token") : token },
  };
}

function withoutEmptyHeaders(server: ServerConfig): ServerConfig {
  const { headers, ...rest } = server;
  return headers === undefined || Object.keys(headers).length === 0 ? rest : server;
}

function replaceArgument(args: readonly string[], index: number, name: string, replace: Replace): string {
  const argument = args[index] ?? "";
  const previous = args[index - 1];
  if (!isSecretArgument(argument, previous)) return argument;
  const assigned = /^(-{0,2}([\w.-]+)[=:])(.*)$/s.exec(argument);
  if (assigned !== null) {
    const [, start = "", key = "", value = ""] = assigned;
    return `${start}${/^-/.test(start) ? replace(value, name, key) : replace(value, key)}`;
  }
  return replace(argument, name, previous?.startsWith("-") === true ? previous.replace(/^-+/, "") : "token");
}

function replaceInUrl(
  url: string,
  name: string,
  replace: Replace,
): { readonly url: string; readonly auth: AuthSettings | undefined } {
  const [, scheme = "", userinfo, rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?(.*)$/is.exec(
    url,
  ) ?? ["", "", undefined, url];
  const [path = "", query] = rest.split(/\?(.*)/s);
  const cleanPath = path
    .split("/")
    .map((segment) => (isSecretSegment(segment) ? replace(segment, name, "key") : segment))
    .join("/");
  const cleanQuery = query
    ?.split("&")
    .map((parameter) => {
      const [key = "", value = ""] = parameter.split(/=(.*)/s);
      return isSecretParameter(key, value) ? `${key}=${replace(value, name, key)}` : parameter;
    })
    .join("&");
  const [username = "", password = ""] = (userinfo ?? "").split(/:(.*)/s);
  return {
    url: `${scheme}${cleanPath}${cleanQuery === undefined ? "" : `?${cleanQuery}`}`,
    auth:
      userinfo === undefined
        ? undefined
        : {
            basic: {
              username: replace(username, name, "username"),
              password: replace(password, name, "password"),
            },
          },
  };
}
