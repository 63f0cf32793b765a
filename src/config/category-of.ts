import { compilePatterns } from "./compile-patterns.js";
import type { ServerConfig } from "./config.js";

type Categories = NonNullable<ServerConfig["categories"]>;
type Category = readonly [matches: (tool: string) => boolean, name: string];

const compiled = new WeakMap<Categories, readonly Category[]>();

/** Returns the category of the first pattern that matches a tool's name; undefined when none matches. */
export function categoryOf(server: { readonly categories?: Categories }, tool: string): string | undefined {
  const { categories } = server;
  if (categories === undefined) return undefined;
  const known = compiled.get(categories) ?? compile(categories);
  compiled.set(categories, known);
  return known.find(([matches]) => matches(tool))?.[1];
}

function compile(categories: Categories): readonly Category[] {
  return Object.entries(categories).map(([pattern, name]) => [compilePatterns([pattern]), name]);
}
