import { readPhp } from "../../../sources/php/read-php.js";
import { isPublicTool } from "../../../client/listing/wordpress/read-abilities.js";
import { isWordPressUrl, type AdapterProfile } from "../../../core/ability.js";
import { basename, resolve } from "node:path";
import type { Config, ServerConfig } from "../../../config/config.js";
import { makeServerName } from "../../../config/parse-server-argument.js";
import { listWords } from "../../../core/collections.js";
import { McpCodegenError } from "../../../core/errors.js";
import { printable } from "../../../core/printable.js";
import { firstOf } from "../../../report/layout.js";
import { usesTypeScript } from "../../../files/project-settings.js";
import type { PhpSpot } from "../../../core/change.js";
import type { VariableLookup } from "../../../core/connection.js";
import type { Context } from "../../context.js";
import { confirm } from "../../prompts.js";
import { offerCore } from "../offer-core.js";
import { findAbilityPlugins } from "../../../sources/php/plugin-files.js";

/** An ability that the adapter's default server does not list. */
interface HiddenAbility extends PhpSpot {
  readonly ability: string;
}

export interface WordPressProposal {
  readonly servers: Config["servers"];
  /** `false` for a repository with only PHP: no code is generated. */
  readonly output?: false;
  /** Notes to print, one line each. */
  readonly notes: readonly string[];
  /** Abilities that are not exposed to MCP; absent if the plugins were not run. */
  readonly hidden?: readonly HiddenAbility[];
  /**
   * Messages, one for each plugin that failed and each ability that WordPress would refuse. `hidden` does not include
   * these.
   */
  readonly failed?: readonly string[];
}

const SHOWN = 10;

/**
 * Returns the servers with the plugins in the folder as `php` of a WordPress server, which is added if there is none.
 * In a plugin's repository without TypeScript, the new server has only PHP and no code is generated. Returns undefined
 * if no plugin registers abilities.
 *
 * Runs the plugins to find hidden abilities, with the user's consent.
 */
export async function proposeWordPress(
  context: Context,
  dir: string,
  servers: Config["servers"],
  { mayAsk, isYes }: { readonly mayAsk: boolean; readonly isYes: boolean },
): Promise<WordPressProposal | undefined> {
  const paths = await findAbilityPlugins(dir);
  if (paths.length === 0) return undefined;
  const site = Object.entries(servers).find(([, { url }]) => url !== undefined && isWordPressUrl(url));
  const isPhpOnly = site === undefined && !paths.some(isInSite) && !(await usesTypeScript(dir));
  const [name, server] = site ?? (isPhpOnly ? phpServer(dir, paths, servers) : newServer(servers));
  const sentence = `${listWords(paths.map((path) => JSON.stringify(path)))} ${paths.length === 1 ? "registers" : "register"} abilities`;
  const setup = isPhpOnly ? [NO_TYPESCRIPT] : site === undefined ? [SITE_VARIABLES] : [];
  const withNotes = (first: string, ...others: readonly string[]): WordPressProposal => ({
    servers: { ...servers, [name]: { ...server, php: { paths } } },
    ...(isPhpOnly && { output: false }),
    notes: [first, ...setup, ...others],
  });
  const mayRun =
    isYes ||
    (mayAsk &&
      (await confirm(context, `${sentence}. Run this PHP to find abilities that are not exposed to MCP?`)));
  if (!mayRun) return withNotes(`${sentence}. Run "npx mcp-codegen pull --php" to list them.`);
  try {
    if (mayAsk)
      await offerCore(
        context,
        { config: { servers: { [name]: { php: { paths } } } }, dir },
        { readsAll: true },
      );
    // The default profile of `pull --php`.
    const profile = server.wordpress?.profile ?? "0.4";
    const lookup: VariableLookup = (variable) => context.io.env[variable];
    const survey = await surveyPlugins(name, paths, profile, { dir, lookup });
    const { hidden, failures } = survey;
    const failureNotes = firstOf(failures.map(withHint), SHOWN, (rest) => `and ${rest} more`);
    return {
      ...withNotes(`${sentence}.`, ...failureNotes, ...noteHidden(survey, isPhpOnly)),
      hidden,
      failed: failures.map(({ reason }) => reason),
    };
  } catch (error) {
    if (!(error instanceof McpCodegenError)) throw error;
    const { message, hint } = error;
    return { ...withNotes(`${sentence}.`, withHint({ reason: message, hint })), failed: [message] };
  }
}

interface PluginSurvey {
  /** How many abilities the plugins register. */
  readonly abilities: number;
  readonly hidden: readonly HiddenAbility[];
  /** Plugins that could not be run, and abilities that WordPress would not register. */
  readonly failures: readonly { readonly reason: string; readonly hint?: string | undefined }[];
}

/** Runs plugins in the code of WordPress, and finds the abilities that the adapter's default server does not list. */
async function surveyPlugins(
  server: string,
  paths: readonly string[],
  profile: AdapterProfile,
  context: { readonly dir: string; readonly lookup: VariableLookup },
): Promise<PluginSurvey> {
  const { abilities, failures, gaps, refused } = await readPhp(server, { paths }, context);
  const hidden = abilities.filter(({ ability }) => !isPublicTool(ability, profile));
  return {
    abilities: abilities.length,
    failures: [
      ...failures,
      ...gaps,
      ...refused.map(({ kind, name, reason, file, line }) => ({
        reason: `WordPress would not register the ${kind} ${JSON.stringify(name)} (${file}:${line}): ${reason}`,
      })),
    ],
    hidden: hidden.map(({ ability, file, line }) => {
      return { ability: ability.name, file, ...(line > 0 && { line }) };
    }),
  };
}

const NO_TYPESCRIPT =
  'no TypeScript found, so "output" is false: pull writes only the lock. To generate code, set "output" to a folder.';

const SITE_VARIABLES =
  'set WP_URL, WP_USER and WP_APP_PASSWORD in ".env.local" to read the site with "npx mcp-codegen pull", or read only the PHP with "npx mcp-codegen pull --php".';

function withHint({ reason, hint }: { readonly reason: string; readonly hint?: string | undefined }): string {
  return hint === undefined ? reason : `${reason} ${hint}`;
}

function isInSite(path: string): boolean {
  return path.split("/").includes("wp-content");
}

/** Returns a server that is read only from PHP, named after its only plugin. */
function phpServer(
  dir: string,
  [first, ...others]: readonly string[],
  servers: Config["servers"],
): [string, ServerConfig] {
  const isOne = first !== undefined && others.length === 0;
  const text = isOne ? basename(resolve(dir, first), ".php") : "wordpress";
  return [makeServerName(text, Object.keys(servers)), {}];
}

/** Returns the default server of the MCP adapter, which every site with the adapter has. */
function newServer(servers: Config["servers"]): [string, ServerConfig] {
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

function noteHidden({ abilities, hidden }: PluginSurvey, isPhpOnly: boolean): readonly string[] {
  if (hidden.length === 0) return [];
  const orRest = isPhpOnly
    ? ', or set "wordpress": { "route": "rest" } on the server to lock those with show_in_rest'
    : "";
  return [
    `${hidden.length} of ${abilities === 1 ? "1 ability" : `${abilities} abilities`} ${hidden.length === 1 ? "is" : "are"} not exposed to MCP: add "meta" => [ "mcp" => [ "public" => true ] ] to those that agents may use${orRest}:`,
  ];
}

/** Returns a line for each hidden ability. */
export function printHidden(hidden: readonly HiddenAbility[]): readonly string[] {
  const lines = hidden.map(({ ability, file, line }) => {
    const place = line === undefined ? file : `${file}:${line}`;
    return `  ${printable(ability, 120)} (${printable(place, 200)})`;
  });
  return firstOf(lines, SHOWN, (rest) => `  … and ${rest} more: "--json" lists them all`);
}
