import type { AuthSettings, EndpointSettings, SettingText } from "../contract/connection.js";
import { formatKeyPath } from "../contract/key-path.js";
import type { Config } from "./config.js";
import {
  fallbacksIn,
  hasVariable,
  isRandomSegment,
  isSecretName,
  isSecretValue,
  literalPart,
  variableName,
} from "./secret-shapes.js";

/** One line for each literal that is, or looks like, a secret. The line names its place and never its value. */
export function findSecrets(config: Config): readonly string[] {
  return Object.entries(config.servers).flatMap(([name, server]) => [
    ...findInEndpoint(server, ["servers", name], name),
    ...Object.entries(server.environments ?? {}).flatMap(([environment, endpoint]) =>
      findInEndpoint(endpoint, ["servers", name, "environments", environment], `${name}_${environment}`),
    ),
  ]);
}

type Path = readonly (string | number)[];

function findInEndpoint(endpoint: EndpointSettings, path: Path, name: string): readonly string[] {
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
        ? [
            `${formatKeyPath([...path, "args", index])}: looks like a secret; write ${variable(name, "TOKEN")}`,
          ]
        : [],
    ),
  ];
}

function findInAuth(auth: AuthSettings, path: Path, name: string): readonly string[] {
  if ("bearer" in auth) {
    return isOpenLiteral(auth.bearer) ? [refusal([...path, "bearer"], variableName(name, "TOKEN"))] : [];
  }
  return (["username", "password"] as const).flatMap((key) =>
    isOpenLiteral(auth.basic[key]) ? [refusal([...path, "basic", key], variableName(name, key))] : [],
  );
}

function refusal(path: Path, variable: string): string {
  return `${formatKeyPath(path)}: a literal is refused here; write "\${${variable}}", or { value, public: true } if it is no secret`;
}

function variable(...parts: readonly string[]): string {
  return `"\${${variableName(...parts)}}"`;
}

/** Under `auth` and `headers` any text is taken for a secret that does not come from a variable. */
export function isOpenLiteral(setting: SettingText): boolean {
  if (typeof setting !== "string" || setting === "") return false;
  return !hasVariable(setting) || fallbacksIn(setting).length > 0 || isSecretValue(literalPart(setting));
}

/** Whether an environment variable or a flag holds a literal secret, by its name or by its shape. */
export function isSecretSetting(name: string, setting: SettingText): boolean {
  if (typeof setting !== "string") return false;
  const literals = literalsIn(setting);
  if (literals.some(isSecretValue)) return true;
  if (!isSecretName(name)) return false;
  return hasVariable(setting)
    ? fallbacksIn(setting).length > 0
    : literals.some((literal) => !/^(?:true|false|yes|no|on|off|[01])$/i.test(literal));
}

/** Whether an argument is a literal secret, or assigns one, or follows a flag that takes one. */
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

function findInUrl(url: string, path: Path, name: string): readonly string[] {
  const where = formatKeyPath(path);
  const userinfo = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i.exec(url)?.[1];
  if (userinfo !== undefined)
    return [`${where}: credentials in a URL are refused; use "auth": { "basic": … }`];
  const [location = "", query = ""] = (url.split("#")[0] ?? "").split(/\?(.*)/s);
  const isInPath = location.split("/").some(isSecretSegment);
  const parameters = query.split("&").flatMap((parameter) => {
    const [key = "", value = ""] = parameter.split(/=(.*)/s);
    return isSecretParameter(key, value)
      ? [`${where}: the parameter "${key}" looks like a secret; write ${variable(name, key)} for its value`]
      : [];
  });
  return [
    ...(isInPath
      ? [`${where}: a part of the path looks like a secret; write ${variable(name, "KEY")} for it`]
      : []),
    ...parameters,
  ];
}

/** Whether a part of a URL's path is a literal secret: some services put the account's key there. */
export function isSecretSegment(segment: string): boolean {
  return literalsIn(segment).some((literal) => isSecretValue(literal) || isRandomSegment(literal));
}

/** Whether a parameter of a URL holds a literal secret. */
export function isSecretParameter(key: string, value: string): boolean {
  return literalsIn(value).some((literal) => isSecretName(key) || isSecretValue(literal));
}

function literalsIn(text: string): readonly string[] {
  return [literalPart(text), ...fallbacksIn(text)].filter((literal) => literal !== "");
}
