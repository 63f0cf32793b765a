import {
  objectOrEmpty,
  getOwn,
  isJsonObject,
  tryParseJson,
  type JsonObject,
  type JsonValue,
} from "../../core/json.js";

/** The result of a run, as `stub/run.php` writes it. */
export interface HarnessAnswer {
  readonly php: string;
  readonly abilities: readonly RunAbility[];
  readonly refused: readonly RefusedRegistration[];
  readonly missing: Missing;
  /** The places that use undefined names. A function or constant that was made up for this run may be absent. */
  readonly uses: readonly UndefinedUse[];
  /** The files of plugins that PHP loaded; empty when the process ended early. */
  readonly loaded: readonly string[];
  /** Autoloaders of Composer that the plugins looked for, and that do not exist. */
  readonly autoloaders: readonly string[];
  /** Undefined classes that were used. */
  readonly madeUp: readonly string[];
  readonly errors: readonly RunError[];
  readonly outputs: readonly PhpOutput[];
  /** Whether the process ended before it had read all abilities. */
  readonly isCutOff: boolean;
  /** Whether a made-up value was used, including the database. */
  readonly usesMadeUp: boolean;
  readonly usesDatabase: boolean;
  /** Conditions that a made-up value decided. */
  readonly decisions: readonly DecidedCondition[];
  /** The questions that the plugins asked about the site, such as `get_option("acme_mode")`. */
  readonly asked: readonly string[];
  /** Whether the plugins check for names with functions of PHP, which only an observed run lists in `asked`. */
  readonly hasChecks: boolean;
  /** The values of the conditions of an observed run, for a run that inverts some of them. */
  readonly conditions: JsonObject;
}

/** A place in the user's PHP code. The line is 0 if unknown. */
export interface PhpPlace {
  readonly file: string;
  readonly line: number;
}

/** A condition that a made-up value decided. */
interface DecidedCondition extends PhpPlace {
  readonly origin: string;
}

/** A place that uses an undefined name without checking whether it is defined. */
export interface UndefinedUse extends PhpPlace {
  readonly kind: "function" | "constant" | "class";
  readonly name: string;
  /** The main file of the plugin that ran; empty if unknown. */
  readonly plugin: string;
  /** The hook that ran, if abilities are registered on it; otherwise empty. */
  readonly hook: string;
  /** Whether the plugin catches the error. */
  readonly isCaught: boolean;
}

export interface RunAbility extends PhpPlace {
  /** The main file of the plugin that registers it; empty if unknown. */
  readonly plugin: string;
  readonly name: string;
  /** The definition, as JSON text. */
  readonly json: string;
  /** The places of its parts, by JSON Pointer into the definition; empty unless traced. */
  readonly lines: ReadonlyMap<string, PhpPlace>;
  /** The undefined functions, constants and classes that its definition depends on. */
  readonly unknown: readonly string[];
}

/** A registration that WordPress rejected, with the reason. */
export interface RefusedRegistration extends PhpPlace {
  readonly kind: "ability" | "category";
  readonly name: string;
  readonly reason: string;
}

/** Text that a plugin prints, which breaks the JSON of a site. */
export interface PhpOutput extends PhpPlace {
  readonly text: string;
  readonly during: string;
}

/** An error that made a run incomplete. */
export interface RunError extends Trail {
  readonly kind: "parse" | "thrown" | "fatal" | "exit";
  readonly message: string;
}

/** The undefined names of a run. The next run makes them up. */
export interface Missing {
  /** Functions. */
  readonly names: readonly string[];
  readonly constants: readonly string[];
  /** The required type of the result, by function. */
  readonly functions: { readonly [name: string]: string };
  /** The kind, by name, when it is not a class: an interface or a trait. */
  readonly kinds: { readonly [name: string]: string };
  readonly classConstants: { readonly [name: string]: readonly string[] };
}

export const NOTHING_MISSING: Missing = {
  names: [],
  constants: [],
  functions: {},
  kinds: {},
  classConstants: {},
};

/** Parses an answer; undefined for a text that is not one. */
export function readHarnessAnswer(text: string): HarnessAnswer | undefined {
  const answer = tryParseJson(text);
  if (!isJsonObject(answer)) return undefined;
  return {
    php: textAt(answer, "php"),
    abilities: readRegistered(answer),
    refused: readRefused(answer),
    missing: readMissing(getOwn(answer, "missing")),
    uses: listOf(answer, "uses", (use) => ({
      ...readPlace(use),
      ...textsAt(use, "name", "plugin", "hook"),
      kind: USED.find((kind) => kind === getOwn(use, "kind")) ?? "class",
      isCaught: getOwn(use, "isCaught") === true,
    })),
    loaded: readTexts(getOwn(answer, "loaded")),
    autoloaders: readTexts(getOwn(answer, "autoloaders")),
    madeUp: readTexts(getOwn(answer, "madeUp")),
    errors: listOf(answer, "errors", (error) => ({
      ...readPlace(error),
      ...textsAt(error, "message", "during", "plugin"),
      kind: KINDS.find((kind) => kind === getOwn(error, "kind")) ?? "fatal",
    })),
    outputs: listOf(answer, "outputs", (output) => ({
      ...readPlace(output),
      ...textsAt(output, "text", "during"),
    })),
    isCutOff: getOwn(answer, "isCutOff") === true,
    usesMadeUp: getOwn(answer, "usesMadeUp") === true,
    usesDatabase: getOwn(answer, "usesDatabase") === true,
    decisions: listOf(answer, "decisions", (decision) => ({
      ...readPlace(decision),
      ...textsAt(decision, "origin"),
    })),
    asked: readTexts(getOwn(answer, "asked")),
    hasChecks: getOwn(answer, "hasChecks") === true,
    // PHP prints an empty object as an empty list.
    conditions: objectOrEmpty(getOwn(answer, "conditions")),
  };
}

/** Reads the registered abilities, also of a real WordPress. */
export function readRegistered(answer: JsonObject): readonly RunAbility[] {
  return listOf(answer, "abilities", (ability) => ({
    ...readPlace(ability),
    ...textsAt(ability, "plugin", "name", "json"),
    lines: linesOf(getOwn(ability, "lines")),
    unknown: readTexts(getOwn(ability, "unknown")),
  }));
}

/** Reads the registrations that WordPress rejected. */
export function readRefused(answer: JsonObject): readonly RefusedRegistration[] {
  return listOf(answer, "refused", (refusal) => ({
    ...readPlace(refusal),
    ...textsAt(refusal, "name", "reason"),
    kind: textAt(refusal, "kind") === "category" ? "category" : "ability",
  }));
}

/** Returns the last step of a process that died, as `stub/run.php` saves it. */
export function readTrail(text: string | undefined): Trail | undefined {
  const trail = text === undefined ? undefined : tryParseJson(text);
  if (!isJsonObject(trail)) return undefined;
  return { ...readPlace(trail), during: textAt(trail, "during"), plugin: textAt(trail, "plugin") };
}

interface Trail extends PhpPlace {
  readonly during: string;
  /** The main file of the plugin that ran; empty if unknown. */
  readonly plugin: string;
}

/** Returns the union of both. */
export function mergeMissing(known: Missing, found: Missing): Missing {
  const unique = (a: readonly string[], b: readonly string[]): readonly string[] => [
    ...new Set([...a, ...b]),
  ];
  const classes = Object.keys({ ...known.classConstants, ...found.classConstants });
  return {
    names: unique(known.names, found.names),
    constants: unique(known.constants, found.constants),
    functions: { ...known.functions, ...found.functions },
    kinds: { ...known.kinds, ...found.kinds },
    classConstants: Object.fromEntries(
      classes.map((name) => [
        name,
        unique(getOwn(known.classConstants, name) ?? [], getOwn(found.classConstants, name) ?? []),
      ]),
    ),
  };
}

/** Returns the number of undefined names. */
export function countMissing({ names, constants, functions, kinds, classConstants }: Missing): number {
  const inClasses = Object.values(classConstants).reduce((sum, { length }) => sum + length, 0);
  return (
    names.length + constants.length + Object.keys(functions).length + Object.keys(kinds).length + inClasses
  );
}

const USED = ["function", "constant", "class"] as const;

const KINDS = ["parse", "thrown", "fatal", "exit"] as const;

function readMissing(value: JsonValue | undefined): Missing {
  if (!isJsonObject(value)) return NOTHING_MISSING;
  return {
    names: readTexts(getOwn(value, "names")),
    constants: readTexts(getOwn(value, "constants")),
    functions: textsByKey(getOwn(value, "functions")),
    kinds: textsByKey(getOwn(value, "kinds")),
    classConstants: Object.fromEntries(
      entriesOf(getOwn(value, "classConstants")).map(([name, constants]) => [name, readTexts(constants)]),
    ),
  };
}

/** Reads a place in PHP code. */
export function readPlace(value: JsonObject): PhpPlace {
  const line = getOwn(value, "line");
  return { file: textAt(value, "file"), line: typeof line === "number" ? line : 0 };
}

/** A place is printed as `[file, line]`. */
function linesOf(value: JsonValue | undefined): ReadonlyMap<string, PhpPlace> {
  return new Map(
    entriesOf(value).flatMap(([pointer, place]) => {
      const [file, line] = isList(place) ? place : [];
      return typeof file === "string" && typeof line === "number" ? [[pointer, { file, line }]] : [];
    }),
  );
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function textAt(value: JsonObject, key: string): string {
  const text = getOwn(value, key);
  return typeof text === "string" ? text : "";
}

export function readTexts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

function textsAt<K extends string>(
  value: JsonObject,
  ...keys: readonly K[]
): { readonly [key in K]: string } {
  return Object.fromEntries(keys.map((key) => [key, textAt(value, key)])) as { readonly [key in K]: string };
}

function listOf<T>(value: JsonObject, key: string, read: (item: JsonObject) => T): readonly T[] {
  const list = getOwn(value, key);
  return Array.isArray(list) ? list.filter(isJsonObject).map(read) : [];
}

function textsByKey(value: JsonValue | undefined): { readonly [key: string]: string } {
  return Object.fromEntries(
    entriesOf(value).flatMap(([key, text]) => (typeof text === "string" ? [[key, text]] : [])),
  );
}

function entriesOf(value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
