import { omitUndefined } from "../core/collections.js";
import { mapEntries } from "../core/json.js";
import type { AuthSettings, EndpointSettings, SettingText } from "../core/connection-settings.js";
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

/** A literal that is, or looks like, a secret. */
interface LiteralSecret {
  readonly path: KeyPath;
  /** The advice, without the literal. */
  readonly text: string;
  readonly literal: string;
  /** The variable to write instead. */
  readonly variable: string;
}

type Replace = (secret: LiteralSecret) => string;

/**
 * Returns a problem for each literal that is, or looks like, a secret. Its text names the place and never the value.
 */
export function findSecrets(config: Config): readonly ConfigProblem[] {
  const problems = new Map<string, ConfigProblem>();
  const note: Replace = ({ path, text, literal }) => {
    const problem = { path, text: `${formatKeyPath(path)}: ${text}` };
    problems.set(problem.text, problem);
    return literal;
  };
  for (const [name, server] of Object.entries(config.servers)) {
    const path = ["servers", name];
    replaceInEndpoint(server, path, name, note);
    noteInPhp(server.php, [...path, "php", "command"], note);
    for (const kind of ["environments", "variants"] as const)
      for (const [view, endpoint] of Object.entries<EndpointSettings>(server[kind] ?? {}))
        replaceInEndpoint(endpoint, [...path, kind, view], `${name}_${view}`, note);
  }
  return [...problems.values()];
}

/**
 * Replaces each literal that `findSecrets` would refuse in a server's own endpoint by `${NAME}`. Returns the settings, and the
 * literals by the variables that replace them and must be set.
 */
export function replaceSecrets(name: string, config: ServerConfig) {
  const literals = new Map<string, string>();
  const server = withAuth(config);
  const replaced = replaceInEndpoint(server, [], name, ({ literal, variable }) => {
    literals.set(variable, literal);
    return `\${${variable}}`;
  });
  const settings: ServerConfig = { ...server, ...replaced };
  return { server: settings, literals: Object.fromEntries(literals) };
}

/** Headers without credentials. */
const OPEN_HEADERS = /^(?:accept|accept-language|content-type|user-agent)$/i;
const BEARER = /^Bearer +(?=\S)/i;
const USERINFO = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)@/i;

/** Moves the credentials of a URL and of the headers to `auth`. */
function withAuth({ url, auth, headers = {}, ...rest }: ServerConfig): ServerConfig {
  const [, scheme = "", userinfo] = USERINFO.exec(url ?? "") ?? [];
  const [username = "", password = ""] = (userinfo ?? "").split(/:(.*)/s);
  const others: [string, SettingText][] = [];
  let bearer: string | undefined;
  for (const [header, value] of Object.entries(headers)) {
    const isText = typeof value === "string";
    if (isText && header.toLowerCase() === "authorization" && BEARER.test(value))
      bearer = value.replace(BEARER, "");
    else if (isText && isOpenLiteral(value) && OPEN_HEADERS.test(header))
      others.push([header, { value, public: true }]);
    else others.push([header, value]);
  }
  const authorization =
    bearer !== undefined
      ? { bearer }
      : userinfo === undefined
        ? undefined
        : { basic: { username, password } };
  return omitUndefined({
    url: url?.replace(USERINFO, scheme),
    auth: auth ?? authorization,
    headers: others.length > 0 ? Object.fromEntries(others) : undefined,
    ...rest,
  });
}

function replaceInEndpoint(
  { url, auth, headers, env, args }: EndpointSettings,
  path: KeyPath,
  name: string,
  replace: Replace,
): EndpointSettings {
  const refuse = (literal: string, at: readonly string[], variable: string): string =>
    replace({
      path: [...path, ...at],
      text: `literal values are refused here; write "\${${variable}}", or { value, public: true } if it is not a secret`,
      literal,
      variable,
    });
  const open = (setting: SettingText, at: readonly string[], key: string): SettingText =>
    isOpenLiteral(setting) ? refuse(setting, at, variableName(name, key)) : setting;
  return omitUndefined({
    url: url === undefined ? undefined : replaceInUrl(url, [...path, "url"], name, replace),
    auth: auth && replaceInAuth(auth, open),
    headers: headers && mapEntries(headers, (value, header) => open(value, ["headers", header], header)),
    env:
      env &&
      mapEntries(env, (value, key) =>
        isSecretSetting(key, value) ? refuse(value, ["env", key], variableName(key)) : value,
      ),
    args: args?.map((argument, index) =>
      replaceInArgument(argument, args[index - 1], name, (literal, variable) =>
        replace({
          path: [...path, "args", index],
          text: `looks like a secret; write "\${${variableName(name, "TOKEN")}}"`,
          literal,
          variable,
        }),
      ),
    ),
  });
}

function replaceInAuth(
  auth: AuthSettings,
  open: (setting: SettingText, at: readonly string[], key: string) => SettingText,
): AuthSettings {
  if ("bearer" in auth) return { bearer: open(auth.bearer, ["auth", "bearer"], "token") };
  if ("basic" in auth) {
    const { username, password } = auth.basic;
    return {
      basic: {
        username: open(username, ["auth", "basic", "username"], "username"),
        password: open(password, ["auth", "basic", "password"], "password"),
      },
    };
  }
  const { clientSecret } = auth;
  return clientSecret === undefined
    ? auth
    : { ...auth, clientSecret: open(clientSecret, ["auth", "clientSecret"], "client_secret") };
}

function replaceInArgument(
  argument: string,
  previous: string | undefined,
  name: string,
  replace: (literal: string, variable: string) => string,
): string {
  if (!isSecretArgument(argument, previous)) return argument;
  const [, start = "", key = "", value = ""] = /^(-{0,2}([\w.-]+)[=:])(.*)$/s.exec(argument) ?? [];
  if (start !== "")
    return start + replace(value, start.startsWith("-") ? variableName(name, key) : variableName(key));
  const flag = previous?.startsWith("-") === true ? previous.replace(/^-+/, "") : "token";
  return replace(argument, variableName(name, flag));
}

/** WP-CLI needs no secrets to find its site, and a container has a separate environment. */
function noteInPhp({ command = [] }: PhpConfig = {}, path: KeyPath, replace: Replace): void {
  const words = typeof command === "string" ? (splitCommand(command) ?? []) : command;
  const text = "looks like a secret; have the program read it from the environment";
  if (words.some((word, index) => isSecretArgument(word, words[index - 1])))
    replace({ path, text, literal: "", variable: "" });
}

function replaceInUrl(url: string, path: KeyPath, name: string, replace: Replace): string {
  const [, , userinfo] = USERINFO.exec(url) ?? [];
  if (userinfo !== undefined) {
    const text = 'credentials in a URL are refused; use "auth": { "basic": … }';
    replace({ path, text, literal: userinfo, variable: "" });
    return url;
  }
  const replaceLiteral = (literal: string, key: string, what: string, it: string): string => {
    const variable = variableName(name, key);
    const text = `${what} looks like a secret; write "\${${variable}}" for ${it}`;
    return replace({ path, text, literal, variable });
  };
  const [location = "", query] = url.split(/\?(.*)/s);
  const segments = location
    .split("/")
    .map((segment) =>
      isSecretSegment(segment) ? replaceLiteral(segment, "key", "a part of the path", "it") : segment,
    );
  const parameters = query?.split("&").map((parameter) => {
    const [key = "", value = ""] = parameter.split(/=(.*)/s);
    return isSecretParameter(key, value)
      ? `${key}=${replaceLiteral(value, key, `the parameter "${key}"`, "its value")}`
      : parameter;
  });
  return segments.join("/") + (parameters === undefined ? "" : `?${parameters.join("&")}`);
}

/** Any text under `auth` and `headers` counts as a secret unless it comes from a variable. */
function isOpenLiteral(setting: SettingText): setting is string {
  if (typeof setting !== "string" || setting === "") return false;
  return !hasVariable(setting) || fallbacksIn(setting).length > 0 || isSecretValue(literalPart(setting));
}

/** Whether an environment variable or a flag holds a literal secret, judged by its name or by its shape. */
function isSecretSetting(name: string, setting: SettingText): setting is string {
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

/** Whether a segment of a URL's path is a literal secret: some services put the account's key there. */
function isSecretSegment(segment: string): boolean {
  return literalsIn(segment).some((literal) => isSecretValue(literal) || isRandomSegment(literal));
}

function isSecretParameter(key: string, value: string): boolean {
  return literalsIn(value).some((literal) => isSecretName(key) || isSecretValue(literal));
}

function literalsIn(text: string): readonly string[] {
  return [literalPart(text), ...fallbacksIn(text)].filter((literal) => literal !== "");
}
