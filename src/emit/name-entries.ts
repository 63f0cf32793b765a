import { toCamelCase } from "../schema/print/identifiers.js";
import { findRename, hashOf, isReserved, typeOf } from "./name-tools.js";
import type { EntryNames } from "./render-task.js";

/** Names that the modules of prompts and resources import, besides those that no wrapper can have. */
const IMPORTS: ReadonlySet<string> = new Set([
  ...["definePrompt", "defineResource", "defineResourceTemplate"],
  ...["Prompt", "Resource", "ResourceTemplate"],
]);

/** A prompt, a resource or a template. */
export interface NamedEntry {
  /** What identifies it: the name of a prompt, a URI or a URI template. */
  readonly id: string;
  /** What its wrapper is named after. */
  readonly name: string;
}

/**
 * Returns the names of a server's prompts, or of its resources and templates, in the given order.
 *
 * @param rules.where the key of the configuration with the given names
 * @throws McpCodegenError `CONFIG_INVALID` for a name in `rename` that cannot be an export
 */
export function nameEntries(
  entries: readonly NamedEntry[],
  rules: { readonly rename: { readonly [id: string]: string } | undefined; readonly where: string },
): readonly EntryNames[] {
  return entries.map(({ id, name }) => {
    const wrapper = findRename(rules.rename, id, { where: rules.where, isTaken }) ?? wrapperOf(name, id);
    return { id, wrapper, arguments: `${typeOf(wrapper)}Arguments` };
  });
}

function wrapperOf(name: string, id: string): string {
  const wrapper = toCamelCase(name);
  if (wrapper === "") return `_${hashOf(id)}`;
  return isTaken(wrapper) ? `${wrapper}_` : wrapper;
}

function isTaken(name: string): boolean {
  return isReserved(name) || IMPORTS.has(name);
}
