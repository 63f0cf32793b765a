import type { Change } from "../core/change.js";
import { joinPointer } from "../core/json-pointer.js";
import { getOwn } from "../core/json.js";
import { type ServerSnapshot, type ToolSnapshot, DEFAULT_VIEW } from "../core/snapshot.js";
import { diffTools, type DiffToolsOptions } from "./diff-tools.js";
import { makeChange } from "./finding.js";

/**
 * Returns what changed between the variants of a server: variants that came and went, tools that a variant lost or gained
 * while another lists them, and definitions that only variants have. Without variants on one side, nothing is compared.
 */
export function diffViews(
  server: string,
  before: ServerSnapshot,
  after: ServerSnapshot,
  options: DiffToolsOptions,
): readonly Change[] {
  if (before.variants === undefined || after.variants === undefined) return [];
  const [old, now] = [Object.keys(before.variants), Object.keys(after.variants)];
  const both = [DEFAULT_VIEW, ...old.filter((variant) => now.includes(variant))];
  const at = (variant: string): { readonly server: string; readonly path: string } => ({
    server,
    path: joinPointer("/variants", variant),
  });
  const tools = after.tools.filter(({ name }) => before.tools.some((tool) => tool.name === name));
  return [
    ...now.flatMap((variant) =>
      old.includes(variant) ? [] : [makeChange("variant-added", at(variant), { after: variant })],
    ),
    ...old.flatMap((variant) =>
      now.includes(variant) ? [] : [makeChange("variant-removed", at(variant), { before: variant })],
    ),
    ...both.flatMap((view) =>
      tools.flatMap(({ name }) => diffView(name, view, { before, after, server, options })),
    ),
  ];
}

function diffView(
  tool: string,
  view: string,
  {
    before,
    after,
    server,
    options,
  }: {
    readonly before: ServerSnapshot;
    readonly after: ServerSnapshot;
    readonly server: string;
    readonly options: DiffToolsOptions;
  },
): readonly Change[] {
  const [old, now] = [definitionIn(before, tool, view), definitionIn(after, tool, view)];
  const place = { server, tool, path: "" };
  if (old === undefined && now === undefined) return [];
  if (now === undefined) return [makeChange("variant-tool-removed", place, { before: view })];
  if (old === undefined) return [makeChange("variant-tool-added", place, { after: view })];
  // A change of the definition that all share is reported once.
  const isShared = [before, after].every(
    ({ differing = {} }) => getOwn(differing, tool)?.[view] === undefined,
  );
  if (isShared) return [];
  const reason = `In variant ${JSON.stringify(view)}.`;
  return diffTools([old], [now], options).map((change) => ({ reason, ...change }));
}

/** The definition of a tool in a view; undefined if the view does not list the tool. */
function definitionIn(
  { tools, viewsOf = {}, differing = {} }: ServerSnapshot,
  tool: string,
  view: string,
): ToolSnapshot | undefined {
  const views = getOwn(viewsOf, tool);
  if (views?.includes(view) === false) return undefined;
  return getOwn(differing, tool)?.[view] ?? tools.find(({ name }) => name === tool);
}
