import type { AbilitySnapshot, AdapterProfile } from "../../../core/ability.js";
import { McpCodegenError } from "../../../core/errors.js";
import {
  findOwn,
  findText,
  getOwn,
  isJsonObject,
  isNamedObject,
  type JsonObject,
  type JsonValue,
  listOrEmpty,
  tryParseJson,
} from "../../../core/json.js";
import { DEEPEST_LOCKABLE, measureDepth } from "../../../core/limits.js";
import type { AbortSignalLike } from "../../../core/abort-signal.js";
import { shareSignal } from "../../abort-signal.js";
import { excerpt } from "../../server-errors.js";
import type { RequestContext } from "../../session.js";
import { findInexactNumbers, type InexactNumber } from "../../../core/exact-json.js";
import { keepNumbers } from "../inexact-numbers.js";

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
  const blocks = listOrEmpty(getOwn(result, "content"));
  return blocks.flatMap((block) => findText(block, "text") ?? []).join("\n");
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
  { known: earlier, signal, onAbility }: ListAbilitiesOptions,
): Promise<readonly FoundAbility[]> {
  const shared = signal && shareSignal(signal);
  const abilities = new Map<string, FoundAbility>();
  const waiting = names[Symbol.iterator]();
  let hasFailed = false;
  const readNext = async (): Promise<void> => {
    // The workers share one iterator, so each name is requested once.
    for (const name of waiting) {
      if (hasFailed) return;
      abilities.set(name, earlier.get(name) ?? (await readOne(session, name, shared)));
      onAbility?.(abilities.size);
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
  return names.flatMap((name) => abilities.get(name) ?? []);
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
  const siteAbility = readFoundAbility(value, findInexactNumbers(text));
  if (siteAbility?.ability.name === name) return siteAbility;
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

/** An ability as a site or its PHP code reports it. */
export interface FoundAbility {
  readonly ability: AbilitySnapshot;
  /** The PHP file that registers it, if known: posix, relative to the configuration. */
  readonly file?: string | undefined;
  /** Why no code can be generated for it. */
  readonly fault?: string | undefined;
}

/** Reads an ability from a list of the site, without what the transport added; undefined for another value. */
export function readFoundAbility(
  listed: JsonValue,
  inexact: readonly InexactNumber[] | undefined,
): FoundAbility | undefined {
  const { value, fault } = keepNumbers(listed, inexact);
  const ability = readAbility(value);
  return ability && { ability, fault: fault?.message };
}

/** Reads the definition of an ability that PHP printed as JSON; undefined for another value. */
export function parsePhpAbility(json: string): FoundAbility | undefined {
  const { value, fault } = keepNumbers(JSON.parse(json) as JsonValue, findInexactNumbers(json));
  return isNamedObject(value) ? { ability: value, fault: fault?.message } : undefined;
}

/** Whether an ability is flat enough to be locked. */
export function isLockable({ ability }: FoundAbility): boolean {
  return measureDepth(ability, DEEPEST_LOCKABLE) <= DEEPEST_LOCKABLE;
}

/**
 * Returns an ability without what its transport added: PHP prints an absent schema as an empty array, and the
 * REST API adds links. Undefined for a value that is not an ability.
 */
export function readAbility(value: JsonValue | undefined): AbilitySnapshot | undefined {
  if (!isNamedObject(value)) return undefined;
  const entries = Object.entries(value).filter(
    ([key, member]) =>
      key !== "_links" && !(SCHEMAS.includes(key) && (member === null || isEmptyArray(member))),
  );
  return { ...Object.fromEntries(entries), name: value.name };
}

const SCHEMAS = ["input_schema", "output_schema"];

/** Whether a value is PHP's empty array, which is printed as `[]` or `{}`. */
export function isEmptyArray(value: JsonValue): boolean {
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}

/**
 * Whether the adapter's default server lists the ability as a tool.
 *
 * Up to 0.5, `meta.mcp.public` must be true. Since 0.6 an ability without it inherits `meta.public`, which
 * must be exactly `true`. All versions convert `meta.mcp.public` as PHP does, and treat an unknown
 * `meta.mcp.type` as a tool.
 */
export function isPublicTool(ability: AbilitySnapshot, profile: AdapterProfile): boolean {
  const meta = findOwn(ability, "meta");
  const mcp = findOwn(meta, "mcp");
  const type = findOwn(mcp, "type");
  if (type === "resource" || type === "prompt") return false;
  const visibility = findOwn(mcp, "public") ?? null;
  if (visibility !== null || profile !== "0.6") return isTruthyInPhp(visibility);
  const canInherit = mcp === undefined || typeof mcp === "object";
  return canInherit && findOwn(meta, "public") === true;
}

/** PHP's `(bool)` for a value printed as JSON. */
export function isTruthyInPhp(value: JsonValue): boolean {
  return Boolean(value) && value !== "0" && !isEmptyArray(value);
}
