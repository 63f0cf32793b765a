import { toolNameOf, type AdapterProfile, type LockedAbility } from "../contract/ability.js";
import type { Diagnostic } from "../contract/diagnostic.js";
import { byCodeUnit } from "../contract/json.js";
import type { ServerSnapshot, ToolSnapshot } from "../contract/snapshot.js";
import { judgeTools } from "./judge-tools.js";
import { isLockable, type FoundAbility } from "./found-ability.js";
import { projectAbility } from "./project-ability.js";

/** The tools that abilities become, those that become none reported. */
export function projectAbilities(
  server: string,
  found: readonly FoundAbility[],
  profile: AdapterProfile,
): Pick<ServerSnapshot, "tools" | "repeated" | "abilities" | "unusable" | "diagnostics"> {
  const sorted = [...found].sort((a, b) => byCodeUnit(a.ability.name, b.ability.name));
  const tools: ToolSnapshot[] = [];
  const abilities = new Map<string, LockedAbility>();
  const faults = new Map<string, string>();
  const vanished: Diagnostic[] = [];
  for (const one of sorted) {
    const { ability, fault, file } = one;
    const projection = isLockable(one)
      ? projectAbility(ability, profile)
      : { vanishes: "it is nested too deeply to be locked" };
    const name = toolNameOf(ability.name);
    if ("vanishes" in projection) {
      const message = `The ability is no tool: ${projection.vanishes}.`;
      vanished.push({ code: "TOOL_UNUSABLE", server, tool: name, path: "", message });
      continue;
    }
    tools.push(projection.tool);
    // Of two abilities that become one tool the first is kept, as judging keeps the first tool.
    if (abilities.has(name)) continue;
    abilities.set(name, { ...(file !== undefined && { file }), definition: ability });
    if (fault !== undefined) faults.set(name, fault);
  }
  const judged = judgeTools(server, [{ entries: tools, at: [] }]);
  const lost = [...faults].filter(([name]) => !Object.hasOwn(judged.unusable, name));
  return {
    tools: judged.tools,
    // An ability is called by its own name, and so the first is reached.
    repeated: [],
    abilities: Object.fromEntries(abilities),
    unusable: { ...judged.unusable, ...Object.fromEntries(lost) },
    diagnostics: [
      ...judged.diagnostics,
      ...vanished,
      ...lost.map(([tool, message]) => ({ code: "TOOL_UNUSABLE" as const, server, tool, path: "", message })),
    ],
  };
}
