import type { Change, Span } from "../../core/change.js";
import { mapLists } from "../../core/entries.js";
import { splitPointer } from "../../core/json-pointer.js";
import type { JsonObject, JsonValue } from "../../core/json.js";
import type { EntrySnapshots, ServerIdentity, ToolSnapshot } from "../../core/snapshot.js";
import { HIDDEN_SECRET } from "../../core/secret-shapes.js";
import { makeChange } from "../finding.js";
import { findBlobs, findHiddenText } from "./find-hidden.js";
import { findPromptInjection, hasName, type InjectionContext } from "./injection/find-prompt-injection.js";
import { compareParameters, findSecretName, isParameter } from "./secret-parameters.js";
import type { POISON_RULES } from "../rules/named-rules.js";
import { foldName, foldText, type FoundText, textsOf } from "./texts.js";

/**
 * Finds misleading texts in the definitions under a tool's name, normally one, that an earlier definition did not have.
 * A finding in several of the definitions is reported once.
 */
export function diffToolPoison(
  before: ToolSnapshot | undefined,
  after: readonly ToolSnapshot[],
  options: ScanContext,
): readonly Change[] {
  const found = after.flatMap((tool) => diffPoison(before, tool, { ...options, tool: tool.name }));
  if (after.length < 2) return found;
  return [...new Map(found.map((change) => [keyOfChange(change), change])).values()];
}

function keyOfChange({ rule, path, after }: Change): string {
  return JSON.stringify([rule, path, after]);
}

/** As {@link diffToolPoison}, for a server's metadata; paths point into `identity`. */
export function diffIdentityPoison(
  before: ServerIdentity | undefined,
  after: ServerIdentity,
  options: ScanContext,
): readonly Change[] {
  return diffPoison(before && textsOfIdentity(before), textsOfIdentity(after), options);
}

/** As {@link diffToolPoison}, for the prompts, resources and skills of a server; paths begin with the list. */
export function diffEntryPoison(
  before: EntrySnapshots | undefined,
  after: EntrySnapshots,
  options: ScanContext,
): readonly Change[] {
  const pick = (lists: EntrySnapshots): JsonObject => mapLists(lists, (entries) => entries);
  return diffPoison(before && pick(before), pick(after), options);
}

function textsOfIdentity({ serverInfo, instructions }: ServerIdentity): JsonObject {
  return instructions === undefined ? { serverInfo } : { serverInfo, instructions };
}

function diffPoison(
  before: JsonObject | undefined,
  after: JsonObject,
  options: PoisonOptions,
): readonly Change[] {
  const { server, tool } = options;
  const toChange = ({ rule, path, passage, marks }: Poison): Change => ({
    ...makeChange(rule, { server, tool, path }, { after: passage }),
    marks,
  });
  if (before === undefined) return findPoison(after, "", options).map(toChange);
  const found = findPoison(after, "", { ...options, earlier: before });
  if (found.length === 0) return [];
  const keyOf = ({ rule, passage }: Poison): string => `${rule} ${passage}`;
  const known = new Set(findPoison(before, "", options).map(keyOf));
  // Only the names of late parameters are found here, so they are always new.
  const isName = ({ path, passage }: Poison): boolean => splitPointer(path).at(-1) === passage;
  const isNew = (poison: Poison): boolean => isName(poison) || !known.has(keyOf(poison));
  return found.filter(isNew).map(toChange);
}

/** Whether a definition has the name of another server's tool. */
export function namesOtherTool(definition: JsonValue, { own, others }: ScanContext): boolean {
  if (others.size === 0) return false;
  const isOther = (name: string): boolean => others.has(name) && !own.has(name);
  return textsOf(definition, "").some(({ text, isKey }) => !isKey && hasName(text, isOther));
}

export type PoisonRule = keyof typeof POISON_RULES;

interface Quote {
  /** All matches with the words around them. A waiver accepts the digest of this text. */
  readonly passage: string;
  readonly marks: readonly Span[];
}

/** A finding of one rule in one string. */
export interface Poison extends Quote {
  readonly rule: PoisonRule;
  /** JSON Pointer. */
  readonly path: string;
}

/** The server whose texts are scanned, and the tools that a text may refer to. */
export interface ScanContext {
  readonly server: string;
  /** The names of the tools of the same server. */
  readonly own: ReadonlySet<string>;
  /** The names of the tools of other servers. */
  readonly others: ReadonlySet<string>;
}

interface PoisonOptions extends ScanContext {
  /** Absent for a server's metadata. */
  readonly tool?: string | undefined;
  /** The earlier definition, if known: unchanged texts are not judged again. */
  readonly earlier?: JsonValue | undefined;
}

/** Returns every text in a definition, or in a server's description, that would mislead a model or a reader. */
export function findPoison(value: JsonValue, pointer: string, options: PoisonOptions): readonly Poison[] {
  const texts = textsOf(value, pointer);
  const keys = keysIn(texts);
  const isOwn = (name: string): boolean => name === options.tool || options.own.has(name) || keys.has(name);
  const { earlier } = options;
  const stayed = earlier === undefined ? undefined : compareTexts(textsOf(earlier, ""), keys);
  const names = new Set([...keys].filter((key) => stayed?.hasKey(key) !== true));
  let isLate: ReturnType<typeof compareParameters> | undefined;
  const judge: Judge = {
    ...options,
    isOwn,
    findLate: earlier === undefined ? undefined : () => (isLate ??= compareParameters(earlier, value)),
    owners: [options.server, options.tool ?? ""].map(foldName).join(" "),
    textAt: (path) => texts.find((found) => !found.isKey && found.path === path)?.text ?? "",
  };
  return texts.flatMap((found) => {
    if (!found.isKey) return stayed?.hasValue(found) === true ? [] : judgeText(found, judge);
    const secret = isParameter(found) ? judgeParameter(found, judge) : [];
    // Each name is judged once.
    return names.delete(found.text) ? [...secret, ...judgeText(found, judge)] : secret;
  });
}

function keysIn(texts: readonly FoundText[]): ReadonlySet<string> {
  return new Set(texts.flatMap(({ text, isKey }) => (isKey ? [text] : [])));
}

interface StayedTexts {
  /** Whether a name existed before, and its judgement cannot have changed. */
  readonly hasKey: (key: string) => boolean;
  /** Whether a value existed before, and its judgement cannot have changed. */
  readonly hasValue: (found: FoundText) => boolean;
}

/** Compares the strings of a definition with those of an earlier one. `keys` are the names in the new definition. */
function compareTexts(earlier: readonly FoundText[], keys: ReadonlySet<string>): StayedTexts {
  const texts = new Map(earlier.flatMap(({ path, text, isKey }) => (isKey ? [] : [[path, text]])));
  // A text about a removed parameter may now refer to another tool of that name.
  const known = keysIn(earlier);
  const lost = [...known].filter((key) => !keys.has(key)).map(foldText);
  const isAboutLost = (text: string): boolean => {
    if (lost.length === 0) return false;
    const folded = foldText(text);
    return lost.some((key) => folded.includes(key));
  };
  return {
    hasKey: (key) => known.has(key) && !isAboutLost(key),
    hasValue: ({ path, text }) => texts.get(path) === text && !isAboutLost(text),
  };
}

interface Judge extends PoisonOptions {
  readonly isOwn: (name: string) => boolean;
  /** Decides whether a parameter is late, where an earlier definition is known. Created on demand: few tools need it. */
  readonly findLate: (() => (parameter: FoundText) => boolean) | undefined;
  /** The words in the names of server and tool. */
  readonly owners: string;
  /** The string at a place of the definition, or an empty one. */
  readonly textAt: (path: string) => string;
}

/** Shorter texts cannot contain an instruction; Chinese needs fewer characters. */
const SHORT = 12;
const SHORT_BEYOND_ASCII = 6;

function judgeText(found: FoundText, { isOwn, others }: Judge): readonly Poison[] {
  const lists = { own: isOwn, foreign: (name: string): boolean => others.has(name) };
  const kind = kindOf(found);
  const before = clean.get(`${kind} ${found.text}`);
  if (before?.every(({ list, name, isIn }) => lists[list](name) === isIn) === true) return [];
  const asked: AskedName[] = [];
  const ask = (list: AskedName["list"]) => (name: string) => {
    const isIn = lists[list](name);
    asked.push({ list, name, isIn });
    return isIn;
  };
  const poison = judgeInContext(found, kind, {
    isOwn: ask("own"),
    isForeign: ask("foreign"),
    isOfParameter: kind === "parameter",
  });
  if (poison.length === 0) rememberClean(`${kind} ${found.text}`, asked);
  return poison;
}

/** A name that a judgement looked up, and whether it was there. */
interface AskedName {
  readonly list: "own" | "foreign";
  readonly name: string;
  readonly isIn: boolean;
}

/** What decides how a string is judged, besides the names of tools. */
type TextKind = "name" | "technical" | "icon" | "parameter" | "other";

const IN_PARAMETER = /^\/inputSchema\/(?:.*\/)?properties\/[^/]+\/(?:description|title)$/;

function kindOf({ path, isKey }: FoundText): TextKind {
  if (isKey) return "name";
  if (path.endsWith("/description") || path.endsWith("/title"))
    return IN_PARAMETER.test(path) ? "parameter" : "other";
  // Such as a reference or a format: models do not read it as text.
  if (/\/(?:\$ref|\$schema|\$id|\$anchor|format|type)$/.test(path) && !/\/properties\/[^/]*$/.test(path))
    return "technical";
  return /\/icons\/\d+\/src$/.test(path) ? "icon" : "other";
}

/** Texts without findings, after their kind: tools share many texts. Each is clean while its names are. */
const clean = new Map<string, readonly AskedName[]>();
/** In characters. */
const MOST_CLEAN = 20_000_000;
let cleanLength = 0;

function rememberClean(text: string, asked: readonly AskedName[]): void {
  const length = asked.reduce((sum, { name }) => sum + name.length, text.length);
  if (cleanLength + length > MOST_CLEAN) {
    cleanLength = 0;
    clean.clear();
  }
  cleanLength += length;
  clean.set(text, asked);
}

function judgeInContext(
  { path, text }: FoundText,
  kind: TextKind,
  context: InjectionContext,
): readonly Poison[] {
  const poison: Poison[] = [];
  const add = (rule: PoisonRule, from: string, spans: readonly Span[]): void => {
    if (spans.length > 0) poison.push({ rule, path, ...quote(from, spans) });
  };
  add("poison-repeated-secret", text, findHiddenSecrets(text));
  for (const [rule, spans] of findHiddenText(text)) add(rule, text, spans);
  if (isShort(text) || kind === "technical") return poison;
  const folded = kind === "name" ? foldName(text) : foldText(text);
  for (const [rule, spans] of findPromptInjection(folded, context)) add(rule, folded, spans);
  if (kind !== "icon") add("poison-encoded-blob", text, findBlobs(text));
  return poison;
}

/** The marks that replaced secrets when the server was listed. */
function findHiddenSecrets(text: string): readonly Span[] {
  const spans: Span[] = [];
  const { length } = HIDDEN_SECRET;
  for (let from = text.indexOf(HIDDEN_SECRET); from !== -1; from = text.indexOf(HIDDEN_SECRET, from + length))
    spans.push([from, from + length]);
  return spans;
}

function isShort(text: string): boolean {
  if (text.length >= SHORT) return false;
  return text.length < SHORT_BEYOND_ASCII || !/[^\0-\x7f]/.test(text);
}

function judgeParameter(parameter: FoundText, { owners, findLate, textAt }: Judge): readonly Poison[] {
  const { path, text } = parameter;
  const isLate = findLate !== undefined;
  const description = (): string => foldText(textAt(`${path}/description`));
  const rule = findSecretName(text, { owners, isLate, description });
  if (rule === undefined || findLate?.()(parameter) === false) return [];
  return [{ rule, path, passage: text, marks: [[0, text.length]] }];
}

/** The maximum number of characters to quote before and after a match. */
const AROUND = 400;
const BETWEEN = " … ";

/** Returns the sentences around the matches, and the positions of the matches in them. Overlapping sentences are joined. */
function quote(text: string, spans: readonly Span[]): Quote {
  const parts: { readonly from: number; to: number; readonly spans: Span[] }[] = [];
  for (const span of [...spans].sort(([a], [b]) => a - b)) {
    const [from, to] = widen(text, ...span);
    const last = parts.at(-1);
    if (last !== undefined && from <= last.to) {
      last.to = Math.max(last.to, to);
      last.spans.push(span);
    } else parts.push({ from, to, spans: [span] });
  }
  let passage = "";
  const marks: Span[] = [];
  for (const { from, to, spans: own } of parts) {
    if (passage !== "") passage += BETWEEN;
    const offset = passage.length - from;
    passage += text.slice(from, to);
    for (const [start, end] of own) marks.push([start + offset, end + offset]);
  }
  return { passage, marks };
}

function widen(text: string, from: number, to: number): Span {
  const before = text.slice(Math.max(0, from - AROUND), from);
  const last = [...before.matchAll(/[.!?]\s/g)].at(-1);
  const lead = (last === undefined ? before : before.slice(last.index + 1)).trimStart();
  const after = text.slice(to, to + AROUND);
  const end = after.search(/[.!?](?:\s|$)/);
  const tail = (end === -1 ? after : after.slice(0, end + 1)).trimEnd();
  return [from - lead.length, to + tail.length];
}
