import type { AuthSettings, SettingText } from "../core/connection.js";
import type { ServerConfig } from "./config.js";
import {
  isOpenLiteral,
  isSecretArgument,
  isSecretParameter,
  isSecretSegment,
  isSecretSetting,
} from "./find-secrets.js";
import { variableName } from "../core/secret-shapes.js";

/** A server's settings with a variable in place of every literal secret. */
export interface ReplacedSecrets {
  readonly server: ServerConfig;
  /** The new variables, which must be set. */
  readonly variables: readonly string[];
}

type Replace = (...name: readonly string[]) => string;

/** Replaces each literal that `findSecrets` would refuse in a server's own endpoint by `${NAME}`. */
export function replaceSecrets(name: string, server: ServerConfig): ReplacedSecrets {
  const variables = new Set<string>();
  const replace: Replace = (...parts) => {
    const variable = variableName(...parts);
    variables.add(variable);
    return `\${${variable}}`;
  };
  const { url, auth, headers, env, args } = server;
  const located = url === undefined ? undefined : replaceInUrl(url, name, replace);
  const named = replaceInHeaders(headers ?? {}, name, replace);
  const credentials = auth === undefined ? (named.auth ?? located?.auth) : replaceInAuth(auth, name, replace);
  const replaced: ServerConfig = {
    ...server,
    ...(located !== undefined && { url: located.url }),
    ...(credentials !== undefined && { auth: credentials }),
    ...(headers !== undefined && { headers: named.headers }),
    ...(env !== undefined && {
      env: mapValues(env, (value, key) => (isSecretSetting(key, value) ? replace(key) : value)),
    }),
    ...(args !== undefined && { args: args.map((_, index) => replaceArgument(args, index, name, replace)) }),
  };
  return { server: withoutEmptyHeaders(replaced), variables: [...variables] };
}

function replaceInAuth(auth: AuthSettings, name: string, replace: Replace): AuthSettings {
  const checked = (value: SettingText, key: string): SettingText =>
    isOpenLiteral(value) ? replace(name, key) : value;
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
): { readonly headers: NonNullable<ServerConfig["headers"]>; readonly auth?: AuthSettings } {
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
        return [header, OPEN_HEADERS.test(header) ? { value, public: true } : replace(name, header)];
      }),
    ),
    ...(token !== undefined && { auth: { bearer: isOpenLiteral(token) ? replace(name, "token") : token } }),
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
  const assigned = /^(-{0,2}([\w.-]+)[=:])/.exec(argument);
  if (assigned !== null) {
    const [, start = "", key = ""] = assigned;
    return `${start}${/^-/.test(start) ? replace(name, key) : replace(key)}`;
  }
  return replace(name, previous?.startsWith("-") === true ? previous.replace(/^-+/, "") : "token");
}

function replaceInUrl(
  url: string,
  name: string,
  replace: Replace,
): { readonly url: string; readonly auth?: AuthSettings } {
  const [, scheme = "", userinfo, rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?(.*)$/is.exec(
    url,
  ) ?? ["", "", undefined, url];
  const [path = "", query] = rest.split(/\?(.*)/s);
  const cleanPath = path
    .split("/")
    .map((segment) => (isSecretSegment(segment) ? replace(name, "key") : segment))
    .join("/");
  const cleanQuery = query
    ?.split("&")
    .map((parameter) => {
      const [key = "", value = ""] = parameter.split(/=(.*)/s);
      return isSecretParameter(key, value) ? `${key}=${replace(name, key)}` : parameter;
    })
    .join("&");
  return {
    url: `${scheme}${cleanPath}${cleanQuery === undefined ? "" : `?${cleanQuery}`}`,
    ...(userinfo !== undefined && {
      auth: { basic: { username: replace(name, "username"), password: replace(name, "password") } },
    }),
  };
}

function mapValues<T>(
  values: { readonly [key: string]: T },
  convert: (value: T, key: string) => T,
): { readonly [key: string]: T } {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, convert(value, key)]));
}
