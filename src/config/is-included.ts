import { compilePatterns } from "./compile-patterns.js";
import type { ToolsConfig } from "./config.js";

type Matcher = (tool: string) => boolean;

/** Patterns are compiled once, since a list may have ten thousand tools. */
const compiled = new WeakMap<ToolsConfig, Matcher>();

/** Whether a tool is included: no `include` is set or one of its patterns matches, and no `exclude` pattern does. */
export function isIncluded(server: { readonly tools?: ToolsConfig }, tool: string): boolean {
  const { tools } = server;
  if (tools === undefined) return true;
  const matches = compiled.get(tools) ?? compile(tools);
  compiled.set(tools, matches);
  return matches(tool);
}

function compile({ include, exclude = [] }: ToolsConfig): Matcher {
  const isNamed = include === undefined ? () => true : compilePatterns(include);
  const isExcluded = compilePatterns(exclude);
  return (tool) => isNamed(tool) && !isExcluded(tool);
}
