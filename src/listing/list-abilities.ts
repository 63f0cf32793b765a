import { McpCodegenError } from "../contract/errors.js";
import { getOwn, isJsonObject } from "../contract/json.js";
import { shareSignal, type AbortSignalLike } from "../transport/abort-signal.js";
import { excerpt } from "../transport/excerpt.js";
import { findInexactNumbers } from "./find-inexact-numbers.js";
import { faultAt, type FoundAbility } from "./found-ability.js";
import { askMetaTool, META_TOOLS } from "./meta-tools.js";
import type { RequestContext } from "./request-context.js";
import { readAbility } from "./read-ability.js";

/** How many abilities are asked for at the same time: what a small site's PHP workers can take. */
const AT_ONCE = 16;
/** No site has so many; each may be a request. */
const MOST_ABILITIES = 10_000;

export interface ListAbilitiesOptions {
  /** What the REST API told, by name: those need not be asked for one by one. */
  readonly known: ReadonlyMap<string, FoundAbility>;
  readonly signal?: AbortSignalLike | undefined;
  /** Hears how many are there so far. */
  readonly onAbility?: (count: number) => void;
}

/**
 * The abilities that the adapter's default server shows, each whole: first their names, then one by one what the REST
 * API did not tell.
 *
 * @throws McpCodegenError `LIST_INCOMPLETE` when none is public, or one that was named is not told; whatever asking throws
 */
export async function listAbilities(
  session: RequestContext,
  options: ListAbilitiesOptions,
): Promise<readonly FoundAbility[]> {
  const names = await nameAbilities(session, options.signal, [...options.known.keys()]);
  return askAbilities(session, names, options);
}

/**
 * The names of the abilities that the adapter's default server shows.
 *
 * @param others What the site is known to have besides, for the message.
 * @throws McpCodegenError `LIST_INCOMPLETE` when none is public; whatever asking throws
 */
export async function nameAbilities(
  session: RequestContext,
  signal?: AbortSignalLike,
  others: readonly string[] = [],
): Promise<readonly string[]> {
  const names = await discover(session, signal);
  if (names.length === 0) throw nothingPublic(others);
  if (names.length <= MOST_ABILITIES) return names;
  throw new McpCodegenError("LIST_INCOMPLETE", `WordPress names more than ${MOST_ABILITIES} abilities.`, {
    hint: "This is a fault of the server; nothing of the list was taken.",
  });
}

/**
 * Abilities by their names, each whole: one by one what is not known already.
 *
 * @throws McpCodegenError `LIST_INCOMPLETE` when one is not told; whatever asking throws
 */
export async function askAbilities(
  session: RequestContext,
  names: readonly string[],
  { known, signal, onAbility }: ListAbilitiesOptions,
): Promise<readonly FoundAbility[]> {
  const shared = signal && shareSignal(signal);
  const found = new Map<string, FoundAbility>();
  const waiting = names[Symbol.iterator]();
  let hasFailed = false;
  const askInTurn = async (): Promise<void> => {
    // All of them take from one iterator, so that each name is asked for once.
    for (const name of waiting) {
      if (hasFailed) return;
      found.set(name, known.get(name) ?? (await askAbility(session, name, shared)));
      onAbility?.(found.size);
    }
  };
  try {
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, names.length) }, () =>
        askInTurn().catch((error: unknown) => {
          hasFailed = true;
          throw error;
        }),
      ),
    );
  } finally {
    shared?.release();
  }
  return names.flatMap((name) => found.get(name) ?? []);
}

async function discover(
  session: RequestContext,
  signal: AbortSignalLike | undefined,
): Promise<readonly string[]> {
  const { value } = await askMetaTool(session, META_TOOLS.discover, {}, signal);
  const abilities = getOwn(value, "abilities");
  if (!Array.isArray(abilities)) {
    throw new McpCodegenError(
      "PROTOCOL_INVALID",
      `WordPress answers ${META_TOOLS.discover} without a list.`,
      {
        hint: "Look at the server's log.",
      },
    );
  }
  const names = abilities.map((entry: unknown) => readAbility(isJsonObject(entry) ? entry : undefined)?.name);
  return [...new Set(names.filter((name) => name !== undefined))];
}

async function askAbility(
  session: RequestContext,
  name: string,
  signal: AbortSignalLike | undefined,
): Promise<FoundAbility> {
  const { value, text } = await askMetaTool(session, META_TOOLS.info, { ability_name: name }, signal);
  const ability = readAbility(value);
  if (ability?.name === name) return { ability, ...faultAt(findInexactNumbers(text)) };
  throw new McpCodegenError(
    "LIST_INCOMPLETE",
    `WordPress names the ability ${quote(name)} and does not tell it.`,
    {
      hint: "This is a fault of the server; nothing of the list was taken.",
    },
  );
}

function quote(name: string): string {
  return JSON.stringify(excerpt(name));
}

/** The site answers, and shows nothing: that is a setting of its abilities, not an empty contract. */
function nothingPublic(others: readonly string[]): McpCodegenError {
  const shown = others.slice(0, 3).map(quote);
  const more = others.length > shown.length ? ` and ${others.length - shown.length} more` : "";
  const has = shown.length === 0 ? "" : ` Its REST API has ${shown.join(", ")}${more}.`;
  return new McpCodegenError("LIST_INCOMPLETE", `WordPress shows no ability to MCP.${has}`, {
    hint: 'Register those that agents may use with "meta" => [ "mcp" => [ "public" => true ] ].',
  });
}
