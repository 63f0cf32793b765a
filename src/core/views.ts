import { omitUndefined } from "./collections.js";
import { byCodeUnit, getOwn, canonicalJson } from "./json.js";
import type { LockedServer, LockedTool } from "./lockfile.js";
import { DEFAULT_VIEW, type ServerSnapshot, type ToolSnapshot } from "./snapshot.js";

/**
 * Merges the lists of a server's variants into that of its own settings. A tool that only variants list has the definition of
 * the first of them by name; definitions that differ are kept by variant. What else a server lists comes from its own
 * settings alone.
 */
export function mergeViews(
  own: ServerSnapshot,
  variants: readonly (readonly [name: string, snapshot: ServerSnapshot])[],
): ServerSnapshot {
  const sorted = [...variants].sort(([a], [b]) => byCodeUnit(a, b));
  const views: readonly (readonly [string, ServerSnapshot])[] = [[DEFAULT_VIEW, own], ...sorted];
  const tools = new Map<string, ToolSnapshot>();
  const viewsOf = new Map<string, readonly string[]>();
  const differing = new Map<string, { readonly [variant: string]: ToolSnapshot }>();
  for (const [view, snapshot] of views) {
    for (const tool of snapshot.tools) {
      const { name } = tool;
      const known = tools.get(name);
      if (known === undefined) tools.set(name, tool);
      else if (canonicalJson(known) !== canonicalJson(tool))
        differing.set(name, { ...differing.get(name), [view]: tool });
      viewsOf.set(name, [...(viewsOf.get(name) ?? []), view].sort(byCodeUnit));
    }
  }
  const partly = [...viewsOf].filter(([, names]) => names.length < views.length);
  return omitUndefined({
    ...own,
    tools: [...tools.values()].sort((a, b) => byCodeUnit(a.name, b.name)),
    unusable: Object.assign(
      {},
      ...[...views].reverse().map(([, { unusable }]) => unusable),
    ) as ServerSnapshot["unusable"],
    diagnostics: distinct(views.flatMap(([, { diagnostics }]) => diagnostics)),
    variants: Object.fromEntries(sorted.map(([name, { listing }]) => [name, listing])),
    viewsOf: partly.length > 0 ? Object.fromEntries(partly) : undefined,
    differing: differing.size > 0 ? Object.fromEntries(differing) : undefined,
  });
}

function distinct<T>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** Returns a locked server as one of its views lists it. */
export function viewOf(server: LockedServer, view: string): LockedServer {
  const tools = Object.entries(server.tools).flatMap(([name, tool]): readonly [string, LockedTool][] => {
    if (tool.views?.includes(view) === false) return [];
    const definition = getOwn(tool.differs ?? {}, view) ?? tool.definition;
    return [[name, { ...tool, definition }]];
  });
  return { ...server, tools: Object.fromEntries(tools) };
}
