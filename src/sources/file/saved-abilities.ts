import type { ServerSnapshot } from "../../contract/snapshot.js";
import { findInexactNumbers } from "../../listing/find-inexact-numbers.js";
import { faultAt } from "../../listing/found-ability.js";
import type { ListPage } from "../../listing/judge-tools.js";
import { projectAbilities } from "../../listing/project-abilities.js";
import { readAbility } from "../../listing/read-ability.js";

/** It keeps all that an ability says. */
const PROFILE = "0.4";

/** A saved list of WordPress abilities, as the tools that the MCP adapter's default server makes of them. */
export function projectSavedAbilities(
  server: string,
  { entries, text, at }: ListPage & { readonly text: string },
): Omit<ServerSnapshot, "server" | "identity" | "listing"> {
  const inexact = findInexactNumbers(text);
  const found = entries.flatMap((entry, index) => {
    const ability = readAbility(entry);
    return ability === undefined ? [] : [{ ability, ...faultAt(inexact, [...at, index]) }];
  });
  return { wordpress: { profile: PROFILE, route: "execute" }, ...projectAbilities(server, found, PROFILE) };
}
