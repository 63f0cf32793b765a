import type { Change, Span } from "../../core/change.js";
import { mapLists } from "../../core/entries.js";
import type { JsonObject, JsonValue } from "../../core/json.js";
import type { EntrySnapshots, ServerIdentity, ToolSnapshot } from "../../core/snapshot.js";
import { HIDDEN_SECRET } from "../../core/secret-shapes.js";
import { makeChange } from "../unconfirmed-change.js";
import { findHiddenText } from "./find-hidden.js";
import { findInjections } from "./injection-patterns.js";
import type { POISON_RULES } from "../rules/named-rules.js";
import { foldName, foldText, type FoundText, pathOf, spansOf, textsOf } from "./texts.js";

/**
 * Finds misleading texts in the definitions under a tool's name, normally one, that an earlier definition did not have.
 * A finding in several of the definitions is reported once.
 */
export function diffToolPoison(
  before: ToolSnapshot | undefined,
  after: readonly ToolSnapshot[],
  options: ScanContext,
): readonly Change[] {
  const changes = after.flatMap((tool) => diffPoison(before, tool, { ...options, tool: tool.name }));
  if (after.length < 2) return changes;
  return [...new Map(changes.map((change) => [keyOfChange(change), change])).values()];
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
  { server, tool, own: names, others }: ScanContext & { readonly tool?: string | undefined },
): readonly Change[] {
  const context = { tool, own: names, others, owners: [server, tool ?? ""].map(foldName).join(" ") };
  const keyOf = ({ rule, passage }: Poison): string => `${rule} ${passage}`;
  const earlier = new Set(before && findPoison(before, context).map(keyOf));
  const parameters =
    before &&
    new Set(
      textsOf(before)
        .filter(isParameter)
        .map(({ text }) => text),
    );
  return findPoison(after, { ...context, parameters })
    .filter((poison) => !earlier.has(keyOf(poison)))
    .map(({ rule, path, passage, marks }) => ({
      ...makeChange(rule, { server, tool, path }, { after: passage }),
      marks,
    }));
}

interface Quote {
  /** All matches with the words around them. A waiver accepts the digest of this text. */
  readonly passage: string;
  readonly marks: readonly Span[];
}

/** A finding of one rule in one string. */
interface Poison extends Quote {
  readonly rule: keyof typeof POISON_RULES;
  /** JSON Pointer. */
  readonly path: string;
}

/** The server whose texts are scanned, and the tools that a text may refer to. */
export interface ScanContext extends ToolNames {
  readonly server: string;
}

interface ToolNames {
  /** The names of the tools of the same server. */
  readonly own: ReadonlySet<string>;
  /** The names of the tools of other servers. */
  readonly others: ReadonlySet<string>;
}

interface PoisonContext extends ToolNames {
  /** Absent for a server's metadata. */
  readonly tool: string | undefined;
  /** The words in the names of server and tool. */
  readonly owners: string;
  /** The names of the earlier definition's parameters: it worked without the others. Absent for a new definition. */
  readonly parameters?: ReadonlySet<string> | undefined;
}

/** Returns every text in a definition, or in a server's description, that would mislead a model or a reader. */
function findPoison(value: JsonValue, context: PoisonContext): readonly Poison[] {
  const { tool, own: ownNames, others } = context;
  const texts = textsOf(value);
  const keys = new Set(texts.flatMap(({ text, isKey }) => (isKey ? [text] : [])));
  const isOwn = (name: string): boolean => name === tool || ownNames.has(name) || keys.has(name);
  const isForeign = (name: string): boolean => IDENTIFIER.test(name) && others.has(name) && !isOwn(name);
  const poison: Poison[] = [];
  const add = (rule: Poison["rule"], text: FoundText, from: string, spans: readonly Span[]): void => {
    if (spans.length > 0) poison.push({ rule, path: pathOf(text), ...quote(from, spans) });
  };
  // Each name is judged once.
  const judged = new Set<string>();
  for (const passage of texts) {
    const { text, isKey } = passage;
    if (isParameter(passage) && isSecret(text, context) && !isForAnotherModel(passage, texts))
      add("poison-secret-parameter", passage, text, [[0, text.length]]);
    if (isKey && judged.has(text)) continue;
    if (isKey) judged.add(text);
    if (text.includes(HIDDEN_SECRET))
      add("poison-repeated-secret", passage, text, spansOf(text, REPEATED_SECRET));
    for (const [rule, spans] of findHiddenText(text)) add(rule, passage, text, spans);
    if (text.length < SHORT) continue;
    const folded = isKey ? foldName(text) : foldText(text);
    const orders = findInjections(folded, isOwn);
    const names = others.size === 0 ? [] : spansOf(folded, NAME, ([name]) => isForeign(name));
    for (const [rule, spans] of orders) if (rule !== NAMES) add(rule, passage, folded, spans);
    add(NAMES, passage, folded, [...names, ...(orders.get(NAMES) ?? [])]);
  }
  return poison;
}

const NAMES = "poison-cross-tool-reference";
const NAME = /[A-Za-z][\w.-]{3,62}\w/g;
/** `send_email` or `sendEmail`: `search` may be a tool or just a word. */
const IDENTIFIER = /[A-Za-z\d][_.-][A-Za-z\d]|[a-z][A-Z]/;

/** Shorter texts cannot contain an instruction. */
const SHORT = 12;

/** The mark that replaced a secret when the server was listed. */
const REPEATED_SECRET = new RegExp(HIDDEN_SECRET.replace(/[[\]]/g, String.raw`\$&`), "g");

/** Private data of the model, its host or the user, which no tool needs: HiddenLayer, Exploiting MCP Tool Parameters, 2025. */
const PRIVATE =
  /(?:^| )(?:system prompts?|chain of thought|tool call history|(?:available|all) tools list|sidenote|side note|id rsa|ssh (?:private )?keys?|private (?:ssh )?keys?|mcp config|env file|dot ?env|etc passwd|browser (?:cookies|history)|seed phrase|wallet seed)(?: |$)/;
const OF_SERVICE =
  /(?:^| )(openai|anthropic|claude|gemini|github|gitlab|aws|azure|gcp|google|slack|stripe|npm|pypi|docker|cursor|huggingface)(?: \w+){0,2} (?:token|secret|password|api ?key|access key|secret access key|credentials?|key|pat)$/;
const CREDENTIAL =
  /(?:^| )(?:passwords?|passwd|passphrase|secrets?|credentials?|api ?keys?|jwt|bearer|pat|(?:access|auth|api|bearer|refresh|session|id|oauth|secret|personal|user|admin) (?:keys?|tokens?|cookie)|client secret)$|^token$/;
/** Names and counts of secrets are not secrets. */
const ABOUT_SECRET =
  / (?:u?u?ids?|names?|count|type|expiry|length|format|policy|hint|path|location)$|\bpublic\b/;

/** Whether a parameter's name asks for a secret. A tool may ask for a credential of its own service. */
function isSecret(name: string, { owners, parameters }: PoisonContext): boolean {
  const words = foldName(name);
  if (ABOUT_SECRET.test(words)) return false;
  if (parameters?.has(name) === false && CREDENTIAL.test(words)) return true;
  if (PRIVATE.test(words)) return !/\bkeys?$/.test(words) || !/\bkeys?\b/.test(owners);
  const service = OF_SERVICE.exec(words)?.[1];
  return service !== undefined && !owners.includes(service);
}

const PROMPT = /(?:^| )system prompts?(?: |$)/;
const ANOTHER_MODEL =
  /\b(?:llm|model|agent|assistant|(?:chat ?)?bot|completion|generation|extraction|persona|character)s?\b/i;
const THIS_MODEL = /\b(?:your|current|entire|whole|verbatim|so far|word for word)\b/i;

/** Whether a parameter is the prompt of another model, which the tool runs: "system prompt for the extraction". */
function isForAnotherModel(parameter: FoundText, texts: readonly FoundText[]): boolean {
  if (!PROMPT.test(foldName(parameter.text))) return false;
  const description = texts.find(
    ({ isKey, place }) => !isKey && place.name === "description" && place.parent === parameter.place,
  );
  const text = foldText(description?.text ?? "");
  return ANOTHER_MODEL.test(text) && !THIS_MODEL.test(text);
}

/** Whether a text is the name of a parameter, at any depth. */
function isParameter(text: FoundText): boolean {
  return text.isKey && text.place.parent?.name === "properties" && pathOf(text).startsWith("/inputSchema/");
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
  for (const { from, to, spans: quoted } of parts) {
    if (passage !== "") passage += BETWEEN;
    const offset = passage.length - from;
    passage += text.slice(from, to);
    for (const [start, end] of quoted) marks.push([start + offset, end + offset]);
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
