import type { ConfigName } from "../contract/rename.js";
import type { Config } from "./config.js";

/** Where the settings of a server name its tools. */
const OF_SERVER: readonly (readonly string[])[] = [
  ["tools", "include", "[]"],
  ["tools", "exclude", "[]"],
  ["tools", "rename", "{}"],
  ["tools", "annotations", "{}"],
  ["categories", "{}"],
  ["outputs", "{}"],
  ["prelude", "[]", "tool"],
  ["variants", "*", "prelude", "[]", "tool"],
];

/** Where a policy names tools, of all servers or as `server__tool`. */
const OF_POLICY: readonly (readonly string[])[] = ["focusModes", "roles"].flatMap((layer) =>
  ["allow", "deny"].map((list) => ["policy", layer, "*", list, "[]", "names", "[]"]),
);

/**
 * The places of a configuration that may name a renamed tool. A new name with other characters than names have could be a
 * pattern that matches more tools, so only a person can write it.
 */
export function findToolNames(
  config: Config,
  { server, before, after }: { readonly server: string; readonly before: string; readonly after: string },
): readonly ConfigName[] {
  const isName = /^[\w./:-]+$/.test(after);
  const isOnly = Object.keys(config.servers).length === 1;
  const named = (path: readonly string[], from: string, to: string, isCertain: boolean): ConfigName => ({
    ...{ path, before: from },
    ...(isCertain && { after: to }),
  });
  return [
    ...OF_SERVER.map((path) => named(["servers", server, ...path], before, after, isName)),
    ...OF_POLICY.flatMap((path) => [
      named(path, `${server}__${before}`, `${server}__${after}`, isName),
      // Another server may have a tool of this name.
      named(path, before, after, isName && isOnly),
    ]),
  ];
}

/** How often a configuration has a name at a place. */
export function countNames(config: Config, { path, before }: ConfigName): number {
  return textsAt(config, path).filter((name) => name === before).length;
}

function textsAt(value: unknown, [step, ...rest]: readonly string[]): readonly string[] {
  if (step === undefined) return typeof value === "string" ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  if (step === "{}") return Object.keys(value);
  const isAny = step === "*" || step === "[]";
  return Object.entries(value).flatMap(([key, member]) =>
    isAny || key === step ? textsAt(member, rest) : [],
  );
}
