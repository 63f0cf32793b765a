import type { AuthSettings, EndpointSettings, SettingText } from "../core/connection.js";
import { formatKeyPath, type KeyPath } from "../core/json-pointer.js";
import type { ConfigProblem } from "./validate-config.js";
import type { Config, PhpConfig } from "./config.js";
import {
  fallbacksIn,
  hasVariable,
  isRandomSegment,
  isSecretName,
  isSecretValue,
  literalPart,
  variableName,
} from "../core/secret-shapes.js";
import { splitCommand } from "./split-command.js";

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
export function isOpenLiteral(setting: SettingText): boolean {
  if (typeof setting !== "string" || setting === "") return false;
  return !hasVariable(setting) || fallbacksIn(setting).length > 0 || isSecretValue(literalPart(setting));
}

/** Whether an environment variable or a flag holds a literal secret, judged by its name or by its shape. */
export function isSecretSetting(name: string, setting: SettingText): boolean {
  if (typeof setting !== "string") return false;
  const literals = literalsIn(setting);
  if (literals.some(isSecretValue)) return true;
  if (!isSecretName(name)) return false;
  return hasVariable(setting)
    ? fallbacksIn(setting).length > 0
    : literals.some((literal) => !/^(?:true|false|yes|no|on|off|[01])$/i.test(literal));
}

/** Whether an argument is a literal secret, assigns one, or follows a flag that takes one. */
export function isSecretArgument(argument: string, previous: string | undefined): boolean {
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
export function isSecretSegment(segment: string): boolean {
  return literalsIn(segment).some((literal) => isSecretValue(literal) || isRandomSegment(literal));
}

/** Whether a query parameter holds a literal secret. */
export function isSecretParameter(key: string, value: string): boolean {
  return literalsIn(value).some((literal) => isSecretName(key) || isSecretValue(literal));
}

function literalsIn(text: string): readonly string[] {
  return [literalPart(text), ...fallbacksIn(text)].filter((literal) => literal !== "");
}
