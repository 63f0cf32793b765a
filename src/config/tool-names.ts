import type { ConfigName } from "../core/rename.js";
import type { Config } from "./config.js";
import { compilePatterns, isPattern } from "./match-tools.js";

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

/** A tool of a server by its old and its new name. */
interface RenamedTool {
  readonly server: string;
  readonly before: string;
  readonly after: string;
}

/**
 * The places of a configuration that may name a renamed tool. A new name with other characters than names have could be a
 * pattern that matches more tools, so only a person can write it.
 */
export function findToolNames(config: Config, { server, before, after }: RenamedTool): readonly ConfigName[] {
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

/** The patterns of a configuration that match the old name of a tool and not its new one. */
export function findLostPatterns(config: Config, rename: RenamedTool): readonly string[] {
  const { server, before, after } = rename;
  const patterns = [
    ...OF_SERVER.filter(([list]) => list === "tools" || list === "categories").flatMap((path) =>
      textsAt(config, ["servers", server, ...path]).map((pattern) => ({ pattern, prefixes: [""] })),
    ),
    ...OF_POLICY.flatMap((path) =>
      textsAt(config, path).map((pattern) => ({ pattern, prefixes: ["", `${server}__`] })),
    ),
  ];
  const lost = patterns.filter(({ pattern, prefixes }) => {
    const matches = compilePatterns([pattern]);
    const has = (name: string): boolean => prefixes.some((prefix) => matches(`${prefix}${name}`));
    return isPattern(pattern) && has(before) && !has(after);
  });
  return [...new Set(lost.map(({ pattern }) => pattern))];
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
