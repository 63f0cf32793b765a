import pLimit from "p-limit";
import { McpCodegenError } from "../../contract/errors.js";
import { getOwn, isJsonObject } from "../../contract/json.js";
import { shareSignal, type AbortSignalLike } from "../../transport/abort-signal.js";
import { excerpt } from "../../transport/excerpt.js";
import type { Session } from "../../transport/session.js";
import { findInexactNumbers } from "../mcp/find-inexact-numbers.js";
import { faultAt, type FoundAbility } from "./found-ability.js";
import { askMetaTool, META_TOOLS } from "./meta-tools.js";
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
  session: Session,
  { known, signal, onAbility }: ListAbilitiesOptions,
): Promise<readonly FoundAbility[]> {
  const names = await discover(session, signal);
  if (names.length === 0) throw nothingPublic([...known.keys()]);
  if (names.length > MOST_ABILITIES) {
    throw new McpCodegenError("LIST_INCOMPLETE", `WordPress names more than ${MOST_ABILITIES} abilities.`, {
      hint: "This is a fault of the server; nothing of the list was taken.",
    });
  }
  const limit = pLimit(AT_ONCE);
  const shared = signal && shareSignal(signal);
  let count = 0;
  const found = names.map((name) => {
    const told = known.get(name);
    return told ?? limit(() => askAbility(session, name, shared));
  });
  return Promise.all(
    found.map(async (asked) => {
      const ability = await asked;
      count += 1;
      onAbility?.(count);
      return ability;
    }),
  )
    .catch((error: unknown) => {
      limit.clearQueue();
      throw error;
    })
    .finally(() => shared?.release());
}

async function discover(session: Session, signal: AbortSignalLike | undefined): Promise<readonly string[]> {
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
  session: Session,
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
