import { toolNameOf, type AdapterProfile, type LockedAbility } from "../contract/ability.js";
import type { Diagnostic } from "../contract/diagnostic.js";
import { byCodeUnit } from "../contract/json.js";
import type { ServerSnapshot, ToolSnapshot } from "../contract/snapshot.js";
import { validateTools } from "./validate-tools.js";
import { isLockable, type FoundAbility } from "./found-ability.js";
import { projectAbility } from "./project-ability.js";

/** Returns the tools of abilities, and diagnostics for abilities that do not become tools. */
export function projectAbilities(
  server: string,
  found: readonly FoundAbility[],
  profile: AdapterProfile,
): Pick<ServerSnapshot, "tools" | "repeated" | "abilities" | "unusable" | "diagnostics"> {
  const sorted = [...found].sort((a, b) => byCodeUnit(a.ability.name, b.ability.name));
  const tools: ToolSnapshot[] = [];
  const abilities = new Map<string, LockedAbility>();
  const faults = new Map<string, string>();
  const omitted: Diagnostic[] = [];
  for (const one of sorted) {
    const { ability, fault, file } = one;
    const projection = isLockable(one)
      ? projectAbility(ability, profile)
      : { reason: "it is nested too deeply to be locked" };
    const name = toolNameOf(ability.name);
    if ("reason" in projection) {
      const message = `The ability does not become a tool: ${projection.reason}.`;
      omitted.push({ code: "TOOL_UNUSABLE", server, tool: name, path: "", message });
      continue;
    }
    tools.push(projection.tool);
    // Two abilities may become one tool. The first is kept, as `validateTools` keeps the first tool.
    if (abilities.has(name)) continue;
    abilities.set(name, { ...(file !== undefined && { file }), definition: ability });
    if (fault !== undefined) faults.set(name, fault);
  }
  const validated = validateTools(server, [{ entries: tools, at: [] }]);
  const lost = [...faults].filter(([name]) => !Object.hasOwn(validated.unusable, name));
  return {
    tools: validated.tools,
    // A call names the ability, so it always reaches the first.
    repeated: [],
    abilities: Object.fromEntries(abilities),
    unusable: { ...validated.unusable, ...Object.fromEntries(lost) },
    diagnostics: [
      ...validated.diagnostics,
      ...omitted,
      ...lost.map(([tool, message]) => ({ code: "TOOL_UNUSABLE" as const, server, tool, path: "", message })),
    ],
  };
}
