import type { Rename } from "../contract/rename.js";
import { typeOf } from "../emit/name-tools.js";
import type { PropertyRename, ToolRename } from "../impact/renames/rename-request.js";
import type { ToolModule } from "../impact/tool-finder.js";

/** Renames with the modules that they are about. */
interface PlacedRenames {
  readonly tools: readonly ToolRename[];
  readonly properties: readonly PropertyRename[];
  /** Where each of them comes from. */
  readonly origins: ReadonlyMap<ToolRename | PropertyRename, Rename>;
}

/**
 * Finds the modules that renames are about; a rename of a tool that has no generated code is left out.
 *
 * @param before the tools that the code was written for
 * @param after the tools now
 */
export function placeRenames(
  renames: readonly Rename[],
  before: readonly ToolModule[],
  after: readonly ToolModule[],
): PlacedRenames {
  const moduleOf = (tools: readonly ToolModule[], server: string, tool: string): ToolModule | undefined =>
    tools.find((one) => one.server === server && one.tool === tool);
  const origins = new Map<ToolRename | PropertyRename, Rename>();
  const tools = renames.flatMap((rename): readonly ToolRename[] => {
    if (rename.kind !== "tool") return [];
    const was = moduleOf(before, rename.server, rename.before);
    const is = moduleOf(after, rename.server, rename.after);
    if (was === undefined || is === undefined) return [];
    const found = { before: was, after: is, names: namesOf(was, is) };
    origins.set(found, rename);
    return [found];
  });
  // A change of a renamed tool has its new name.
  const oldNames = new Map(
    tools.map(({ before: was, after: is }) => [JSON.stringify([is.server, is.tool]), was]),
  );
  const properties = renames.flatMap((rename): readonly PropertyRename[] => {
    if (rename.kind === "tool") return [];
    const { server, change } = rename;
    const tool = oldNames.get(JSON.stringify([server, rename.tool])) ?? moduleOf(before, server, rename.tool);
    const side = change.rule.startsWith("input-") ? "Input" : "Output";
    const nameOf = ({ wrapper }: ToolModule): string => `${typeOf(wrapper)}${side}`;
    const is = moduleOf(after, server, rename.tool);
    if (tool === undefined) return [];
    const now = is === undefined ? {} : { now: { tool: is, type: nameOf(is) } };
    const found = { kind: rename.kind, tool, type: nameOf(tool), change, ...now };
    origins.set(found, rename);
    return [found];
  });
  return { tools, properties, origins };
}

/** The exports of a tool's module, by their old names. */
function namesOf(before: ToolModule, after: ToolModule): ReadonlyMap<string, string> {
  const [was, is] = [before, after].map(({ wrapper }) => [
    wrapper,
    ...["Input", "Output"].map((side) => `${typeOf(wrapper)}${side}`),
  ]);
  return new Map((was ?? []).map((name, index) => [name, is?.[index] ?? name]));
}
