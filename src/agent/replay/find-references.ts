import type { RecordedCall } from "../../runtime/call-recorder.js";
import { isCreatingVerb, isVerbInName, PREPOSITIONS, singularOf } from "../../core/words/verbs.js";
import { splitWords } from "../../core/words/words.js";
import {
  isSameId,
  type Leaf,
  leavesOf,
  readRecordedResult,
  type Reference,
  type References,
  spellPath,
  type ValuePath,
} from "./plan.js";
import { quoteAll } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { nearestName } from "../../core/nearest-name.js";

/** An object that a change created, identified by an id in its result. */
interface IdSource {
  readonly step: number;
  readonly change: RecordedCall;
  readonly at: ValuePath;
  readonly value: string | number;
  readonly kind: string;
}

export interface UnclearId {
  readonly kind: "ambiguous-id" | "foreign-id";
  readonly argument: string;
  readonly value: string | number;
  /** The steps that may have created it. */
  readonly candidates: readonly number[];
}

/** Returns a function that finds the objects to which the arguments of changes refer. It takes the changes in their order. */
export function createReferenceFinder(declarations: Declared) {
  const created: IdSource[] = [];
  const results: { readonly step: number; readonly change: RecordedCall; readonly result: unknown }[] = [];
  /** Ids that callers chose themselves, so that they are the same everywhere. */
  const chosen: IdSource[] = [];

  const judge = (leaf: Leaf, change: RecordedCall): Reference | UnclearId | undefined => {
    const argument = spellPath(leaf.path);
    const declared = findDeclared(declarations, change, argument);
    if (declared === "same") return undefined;
    if (declared === undefined) return infer(leaf, change, argument);
    for (const { step, change: earlier, result } of results.toReversed()) {
      if (earlier.environment !== change.environment) continue;
      const recorded = { server: earlier.server, name: earlier.tool };
      const wanted = declared.filter(({ name }) => isCalled(recorded, name)).map(({ path }) => path);
      const id = leavesOf(wanted.length === 0 ? undefined : result).find(
        ({ path, value }) => wanted.includes(spellPath(path)) && isSameId(value, leaf.value),
      );
      if (id !== undefined) return { ...leaf, from: step, at: id.path, how: "declared" };
    }
    return { kind: "foreign-id", argument, value: leaf.value, candidates: [] };
  };

  /** Infers a reference only if exactly one object matches by value and by name. */
  const infer = (
    { path, value }: Leaf,
    change: RecordedCall,
    argument: string,
  ): Reference | UnclearId | undefined => {
    if (!canBeId(value)) return undefined;
    const noun = nounOf(change.tool);
    const { kind, isId } = kindAt(path, noun);
    const isSame = (source: IdSource): boolean =>
      isSameId(source.value, value) && source.change.environment === change.environment;
    const isOfServer = (source: IdSource): boolean => source.change.server === change.server;
    const sources = created.filter(isSame);
    const ofServer = sources.filter(isOfServer);
    const exact = ofServer.filter((source) => source.kind === kind);
    const fitting =
      exact.length > 0 || !isId ? exact : ofServer.filter((source) => isRelated(source.kind, kind));
    const [latest] = fitting.toSorted((a, b) => b.step - a.step);
    if (latest !== undefined && fitting.every((source) => source.kind === latest.kind))
      return { path, value, from: latest.step, at: latest.at, how: "inferred" };
    const candidates = [...new Set(sources.map(({ step }) => step))];
    const isTelling = typeof value === "string" && value.length >= UNIQUE_LENGTH;
    const isLikely = isTelling || ofServer.some((source) => isRelated(source.kind, kind));
    if (candidates.length > 0 && (isId || isLikely))
      return { kind: "ambiguous-id", argument, value, candidates };
    // A caller may choose an id itself, as in `create-page { id: "start" }`.
    const choosesIt = path.length === 1 && isCreating(change.tool) && kind === noun;
    const isChosen = (source: IdSource): boolean =>
      isSame(source) && isOfServer(source) && isRelated(source.kind, kind);
    if (!isId || choosesIt || chosen.some(isChosen)) return undefined;
    return { kind: "foreign-id", argument, value, candidates: [] };
  };

  const remember = (step: number, change: RecordedCall): void => {
    const result = readRecordedResult(change);
    results.push({ step, change, result });
    const noun = nounOf(change.tool);
    const ids = idsOf(change.args, noun);
    for (const { path, value, kind } of idsOf(result, noun)) {
      // An id that was also among the arguments existed before.
      if (ids.some((id) => isSameId(id.value, value) && isRelated(id.kind, kind))) continue;
      created.push({ step, change, at: path, value, kind });
    }
    if (!isCreating(change.tool)) return;
    for (const { path, value, kind } of ids)
      if (path.length === 1 && kind === noun) chosen.push({ step, change, at: path, value, kind });
  };

  /** Returns the references of a change, and remembers what the change creates. */
  return (step: number, change: RecordedCall) => {
    const judged = leavesOf(change.args).flatMap((leaf) => judge(leaf, change) ?? []);
    remember(step, change);
    return {
      references: judged.filter((leaf) => "how" in leaf),
      unclear: judged.filter((leaf) => "candidates" in leaf),
    };
  };
}

/** Texts of this length are hardly ever equal by chance. */
const UNIQUE_LENGTH = 16;
const LONGEST_ID = 200;

function canBeId(value: string | number): boolean {
  return typeof value === "number"
    ? Number.isSafeInteger(value) && value > 0
    : value !== "" && value !== "0" && value.length <= LONGEST_ID;
}

function idsOf(value: unknown, noun: string): readonly (Leaf & { readonly kind: string })[] {
  return leavesOf(value).flatMap((leaf) => {
    const { kind, isId } = kindAt(leaf.path, noun);
    return isId && canBeId(leaf.value) ? [{ ...leaf, kind }] : [];
  });
}

// Kinds are derived from names, in lower-case words: `create_blog_post` creates a "blog post", so `blogPostId` and `post_id`
// may be its id. These are guesses.

const ID_WORDS: ReadonlySet<string> = new Set(["id", "ids", "uuid", "guid"]);

/** Names by which objects refer to others of their own kind. */
const RELATIONS: ReadonlySet<string> = new Set(["parent", "reply to", "in reply to"]);

/** Names of objects that only wrap an answer. */
const WRAPPERS: ReadonlySet<string> = new Set([
  "data", "result", "results", "item", "items", "response", "value", "record", "object", "entity", "body", "payload",
  "previous", "input", "created", "updated",
]); // prettier-ignore

/** Returns the noun of a tool's name: "post" for `content/create-post`. Empty if the name is only a verb. */
function nounOf(tool: string): string {
  const words = splitWords(tool);
  const verb = words.findIndex((word) => isVerbInName(word));
  const after = words.slice(verb + 1);
  const end = after.findIndex((word) => PREPOSITIONS.has(word));
  const noun = end === -1 ? after : after.slice(0, end);
  // `comments/create`
  return singular(noun.length === 0 ? words.slice(0, Math.max(verb, 0)) : noun);
}

function isCreating(tool: string): boolean {
  const verb = splitWords(tool).find((word) => isVerbInName(word));
  return verb !== undefined && isCreatingVerb(verb);
}

/** Returns the kind of a value by its path, in a tool with this noun, and whether its name says that it is an id. */
function kindAt(path: ValuePath, noun: string): { readonly kind: string; readonly isId: boolean } {
  const keys = path.filter((step) => typeof step === "string");
  const words = splitWords(keys.at(-1) ?? "");
  const isId = ID_WORDS.has(words.at(-1) ?? "");
  const named = isId ? words.slice(0, -1) : words;
  if (RELATIONS.has(named.join(" "))) return { kind: noun, isId: true };
  if (named.length > 0) return { kind: singular(named), isId };
  const around = splitWords(keys.at(-2) ?? "");
  const isBare = around.length === 0 || WRAPPERS.has(around.join(" "));
  return { kind: isBare ? noun : singular(around), isId };
}

/** Whether an id of one kind may be an id of the other: a "blog post" is a "post". */
function isRelated(left: string, other: string): boolean {
  if (left === "" || other === "") return left === other;
  return ` ${left}`.endsWith(` ${other}`) || ` ${other}`.endsWith(` ${left}`);
}

function singular(words: readonly string[]): string {
  const last = words.at(-1);
  if (last === undefined) return "";
  return [...words.slice(0, -1), singularOf(last)].join(" ");
}

/** Declared references by the names of the tool and the argument. */
type Declared = ReadonlyMap<string, ReadonlyMap<string, "same" | readonly DeclaredSource[]>>;

/** A tool, and the path of an id in its result. */
interface DeclaredSource {
  readonly name: string;
  readonly path: string;
}

interface NameableTool {
  readonly server: string;
  readonly name: string;
}

/**
 * Parses declared references.
 *
 * @param argumentsOf returns the names of a tool's arguments; none if it may have any
 * @throws McpCodegenError `USAGE` for an unknown tool or argument, and for a source without a tool
 */
export function readReferences<T extends NameableTool>(
  references: References,
  tools: readonly T[],
  argumentsOf: (tool: T) => readonly string[],
): Declared {
  return new Map(
    Object.entries(references).map(([tool, declared]) => {
      const named = tools.filter((candidate) => isCalled(candidate, tool));
      if (named.length === 0) throw unknownTool(tool);
      const names = named.flatMap(argumentsOf);
      const sources = Object.entries(declared).map(([argument, path]) => {
        const [name = ""] = argument.split(/\.|\[\]/, 1);
        if (names.length > 0 && !names.includes(name)) throw unknownArgument(tool, name, names);
        const texts = typeof path === "string" ? [path] : path;
        return [argument, path === "same" ? "same" : readSources(texts, tool, argument, tools)] as const;
      });
      return [tool, new Map(sources)];
    }),
  );
}

function findDeclared(
  declared: Declared,
  { server, tool }: RecordedCall,
  argument: string,
): "same" | readonly DeclaredSource[] | undefined {
  return declared.get(`${server}__${tool}`)?.get(argument) ?? declared.get(tool)?.get(argument);
}

function isCalled({ server, name }: NameableTool, spelled: string): boolean {
  return spelled === name || spelled === `${server}__${name}`;
}

function readSources(
  texts: readonly string[],
  tool: string,
  argument: string,
  tools: readonly NameableTool[],
): readonly DeclaredSource[] {
  return texts.map((text) => {
    // Names of tools may contain dots: the longest known name counts.
    const dots = [...text.matchAll(/\./g)].map(({ index }) => index).reverse();
    const dot = dots.find((at) => tools.some((candidate) => isCalled(candidate, text.slice(0, at))));
    if (dot === undefined || dot === text.length - 1) throw noSource(text, tool, argument);
    return { name: text.slice(0, dot), path: text.slice(dot + 1) };
  });
}

function unknownTool(tool: string): McpCodegenError {
  const message = `The references name a tool ${JSON.stringify(tool)} that does not exist.`;
  return new McpCodegenError("USAGE", message, {
    hint: "Write a tool's name as its server does, or as server__tool.",
  });
}

function unknownArgument(tool: string, name: string, names: readonly string[]): McpCodegenError {
  const message = `The references name an argument ${JSON.stringify(name)} that ${JSON.stringify(tool)} does not have.`;
  const nearest = nearestName(name, names);
  return new McpCodegenError("USAGE", message, {
    hint:
      nearest === undefined
        ? `Arguments: ${quoteAll([...new Set(names)])}.`
        : `Did you mean ${JSON.stringify(nearest)}?`,
  });
}

function noSource(text: string, tool: string, argument: string): McpCodegenError {
  const message = `The reference ${JSON.stringify(text)} of ${JSON.stringify(`${tool}.${argument}`)} names no tool and path.`;
  return new McpCodegenError("USAGE", message, {
    hint: 'Write "create-post.id": a tool, a dot, and where its result has the id; or "same".',
  });
}
