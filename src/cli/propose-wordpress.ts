import type { ServerConfig } from "../config/config.js";
import { McpCodegenError } from "../contract/errors.js";
import type { HiddenAbility } from "../pipeline/survey-plugins.js";
import { printable } from "../report/printable.js";
import type { Context } from "./context.js";
import { confirm } from "./prompts.js";

export interface WordPressProposal {
  readonly servers: { readonly [name: string]: ServerConfig };
  /** A line each, for people. */
  readonly notes: readonly string[];
  /** Abilities that MCP is not told of; absent where nobody looked. */
  readonly hidden?: readonly HiddenAbility[];
}

const SHOWN = 10;

/**
 * The servers, with what plugins in the folder register: beside the settings of a WordPress that is among them, or else
 * as a server of its own. Undefined where no plugin registers abilities.
 *
 * Which abilities MCP is not told of is found by running the plugins, and so only for who says yes.
 */
export async function proposeWordPress(
  context: Context,
  dir: string,
  servers: { readonly [name: string]: ServerConfig },
  { mayAsk, isYes }: { readonly mayAsk: boolean; readonly isYes: boolean },
): Promise<WordPressProposal | undefined> {
  const { findAbilityPlugins, findHidden } = await import("../pipeline/survey-plugins.js");
  const paths = await findAbilityPlugins(dir);
  if (paths.length === 0) return undefined;
  const [name, server] =
    Object.entries(servers).find(([, { url }]) => url !== undefined && isWordPress(url)) ??
    newServer(servers);
  const proposed = { ...servers, [name]: { ...server, php: { paths } } };
  const found = `${paths.map((path) => JSON.stringify(path)).join(", ")} ${paths.length === 1 ? "registers" : "register"} abilities`;
  const mayRun =
    isYes || (mayAsk && (await confirm(context, `${found}. Run that PHP to see which MCP is told of?`)));
  if (!mayRun)
    return { servers: proposed, notes: [`${found}: see which with "npx mcp-codegen pull --php".`] };
  try {
    const { abilities, hidden } = await findHidden(name, paths, {
      dir,
      // The profile that `pull --php` would use.
      profile: server.wordpress?.profile ?? "0.4",
    });
    return { servers: proposed, notes: [`${found}.`, ...noteHidden(abilities, hidden)], hidden };
  } catch (error) {
    if (!(error instanceof McpCodegenError)) throw error;
    return { servers: proposed, notes: [`${found}. ${error.message}`] };
  }
}

function isWordPress(url: string): boolean {
  return url.includes("/wp-json/") || url.includes("rest_route=");
}

/** The adapter's default server, which every site with the adapter has. */
function newServer(servers: { readonly [name: string]: ServerConfig }): [string, ServerConfig] {
  const name = ["wordpress", "wordpress_site", "wordpress_abilities"].find(
    (free) => !Object.hasOwn(servers, free),
  );
  return [
    name ?? "wordpress",
    {
      url: "${WP_URL}/wp-json/mcp/mcp-adapter-default-server",
      auth: { basic: { username: "${WP_USER}", password: "${WP_APP_PASSWORD}" } },
    },
  ];
}

function noteHidden(abilities: number, hidden: readonly HiddenAbility[]): readonly string[] {
  if (hidden.length === 0) return [];
  return [
    `${hidden.length} of ${abilities} are not shown to MCP; to those that agents may use, add "meta" => [ "mcp" => [ "public" => true ] ]:`,
  ];
}

/** The abilities that MCP is not told of, a line each. */
export function printHidden(hidden: readonly HiddenAbility[]): readonly string[] {
  const rest = hidden.length - SHOWN;
  return [
    ...hidden.slice(0, SHOWN).map(({ ability, file, line }) => {
      const place = line === undefined ? file : `${file}:${line}`;
      return `  ${printable(ability, 120)} (${printable(place, 200)})`;
    }),
    ...(rest > 0 ? [`  … and ${rest} more: "--json" lists them all`] : []),
  ];
}
