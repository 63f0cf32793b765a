import { McpCodegenError } from "../../../core/errors.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "../../../core/json.js";
import { type AbortSignalLike, shareSignal } from "../../abort-signal.js";
import { excerpt } from "../../server-text.js";
import type { RequestContext } from "../../session.js";
import { findInexactNumbers } from "../inexact-numbers.js";
import { type FoundAbility, readAbility, readFoundAbility } from "./ability.js";

/** The three tools that the adapter's default server lists instead of abilities. */
export const META_TOOLS = {
  discover: "mcp-adapter-discover-abilities",
  info: "mcp-adapter-get-ability-info",
  execute: "mcp-adapter-execute-ability",
} as const;

/** Whether these are the tools of the adapter's default server. */
export function hasMetaTools(tools: readonly { readonly name: string }[]): boolean {
  const names = new Set(tools.map(({ name }) => name));
  return Object.values(META_TOOLS).every((name) => names.has(name));
}

interface MetaAnswer {
  readonly value: JsonObject;
  /** The JSON that the value was read from. */
  readonly text: string;
}

/**
 * Calls a meta-tool and returns its answer.
 *
 * @throws McpCodegenError `SERVER_REFUSED` for an error of the tool, `PROTOCOL_INVALID` for an answer that is
 *   not an object, and the errors of {@link Session.request}
 */
async function callMetaTool(
  session: RequestContext,
  name: string,
  input: JsonObject,
  signal: AbortSignalLike | undefined,
): Promise<MetaAnswer> {
  let raw = "";
  const result = await session.request(
    "tools/call",
    { name, arguments: input },
    {
      signal,
      onText: (message) => {
        raw = message;
      },
    },
  );
  const text = textOf(result);
  if (getOwn(result, "isError") === true) {
    const reason = excerpt(session.scrub(text));
    throw new McpCodegenError("SERVER_REFUSED", `WordPress refused ${name}: ${reason}`, {
      hint: 'The account needs the capability that the adapter requires, by default "read".',
    });
  }
  const structured = getOwn(result, "structuredContent");
  if (isJsonObject(structured)) return { value: structured, text: raw };
  const parsed = tryParseJson(text);
  if (isJsonObject(parsed)) return { value: parsed, text };
  throw new McpCodegenError(
    "PROTOCOL_INVALID",
    `WordPress answered ${name} with something that is not an object.`,
    {
      hint: "Look at the server's log.",
    },
  );
}

function textOf(result: JsonObject): string {
  const content: JsonValue | undefined = getOwn(result, "content");
  const blocks: readonly JsonValue[] = Array.isArray(content) ? content : [];
  return blocks
    .flatMap((block) => {
      const text = isJsonObject(block) ? getOwn(block, "text") : undefined;
      return typeof text === "string" ? [text] : [];
    })
    .join("\n");
}

/** The number of concurrent requests, which the PHP workers of a small site can serve. */
const AT_ONCE = 16;
/** More than any site has. Each ability may need a request. */
const MOST_ABILITIES = 10_000;

interface ListAbilitiesOptions {
  /** The abilities from the REST API, by name. They are not requested again. */
  readonly known: ReadonlyMap<string, FoundAbility>;
  readonly signal?: AbortSignalLike | undefined;
  /** Called with the number of abilities read so far. */
  readonly onAbility?: ((count: number) => void) | undefined;
}

/**
 * Returns the names of the abilities that the adapter's default server shows.
 *
 * @param others other abilities of the site, for the message
 * @throws McpCodegenError `LIST_INCOMPLETE` when none is public, and request errors
 */
export async function listAbilityNames(
  session: RequestContext,
  signal: AbortSignalLike | undefined,
  others: readonly string[],
): Promise<readonly string[]> {
  const names = await discover(session, signal);
  if (names.length === 0) throw nothingPublic(others);
  if (names.length <= MOST_ABILITIES) return names;
  throw new McpCodegenError("LIST_INCOMPLETE", `WordPress lists more than ${MOST_ABILITIES} abilities.`, {
    hint: "This is a fault of the server. The list was discarded.",
  });
}

/**
 * Returns abilities by name. Reads one by one those that are not known.
 *
 * @throws McpCodegenError `LIST_INCOMPLETE` when the server does not describe one, and request errors
 */
export async function readAbilities(
  session: RequestContext,
  names: readonly string[],
  { known, signal, onAbility }: ListAbilitiesOptions,
): Promise<readonly FoundAbility[]> {
  const shared = signal && shareSignal(signal);
  const found = new Map<string, FoundAbility>();
  const waiting = names[Symbol.iterator]();
  let hasFailed = false;
  const readNext = async (): Promise<void> => {
    // The workers share one iterator, so each name is requested once.
    for (const name of waiting) {
      if (hasFailed) return;
      found.set(name, known.get(name) ?? (await readOne(session, name, shared)));
      onAbility?.(found.size);
    }
  };
  try {
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, names.length) }, () =>
        readNext().catch((error: unknown) => {
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
  const { value } = await callMetaTool(session, META_TOOLS.discover, {}, signal);
  const abilities = getOwn(value, "abilities");
  if (!Array.isArray(abilities)) {
    throw new McpCodegenError(
      "PROTOCOL_INVALID",
      `WordPress answered ${META_TOOLS.discover} without a list.`,
      {
        hint: "Look at the server's log.",
      },
    );
  }
  const names = abilities.map((entry: unknown) => readAbility(isJsonObject(entry) ? entry : undefined)?.name);
  return [...new Set(names.filter((name) => name !== undefined))];
}

async function readOne(
  session: RequestContext,
  name: string,
  signal: AbortSignalLike | undefined,
): Promise<FoundAbility> {
  const { value, text } = await callMetaTool(session, META_TOOLS.info, { ability_name: name }, signal);
  const found = readFoundAbility(value, findInexactNumbers(text));
  if (found?.ability.name === name) return found;
  throw new McpCodegenError(
    "LIST_INCOMPLETE",
    `WordPress lists the ability ${quote(name)} but does not describe it.`,
    {
      hint: "This is a fault of the server. The list was discarded.",
    },
  );
}

function quote(name: string): string {
  return JSON.stringify(excerpt(name));
}

/**
 * Returns the error for a site without public abilities. Its settings cause this, so it must not become an
 * empty lock.
 */
function nothingPublic(others: readonly string[]): McpCodegenError {
  const shown = others.slice(0, 3).map(quote);
  const more = others.length > shown.length ? ` and ${others.length - shown.length} more` : "";
  const has = shown.length === 0 ? "" : ` Its REST API has ${shown.join(", ")}${more}.`;
  return new McpCodegenError("LIST_INCOMPLETE", `WordPress exposes no ability to MCP.${has}`, {
    hint: 'Register abilities for agents with "meta" => [ "mcp" => [ "public" => true ] ].',
  });
}
