import {
  objectOrEmpty,
  getOwn,
  isJsonArray,
  isJsonObject,
  mapEntries,
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

/** Names a place in a message. */
export function describePlace({ file, line }: PhpPlace, nameOf: (file: string) => string): string {
  const name = JSON.stringify(nameOf(file));
  return line > 0 ? `${name}, line ${line}` : name;
}

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

/** Reads a value of an answer. Our own PHP wrote it, so a value of another type counts as absent. */
type Read<T> = (value: JsonValue | undefined) => T;

const text: Read<string> = (value) => (typeof value === "string" ? value : "");
const flag: Read<boolean> = (value) => value === true;
const lineNumber: Read<number> = (value) => (typeof value === "number" ? value : 0);
const texts: Read<readonly string[]> = (value) =>
  isJsonArray(value) ? value.filter((item) => typeof item === "string") : [];

function oneOf<T extends string>(known: readonly T[], otherwise: T): Read<T> {
  return (value) => known.find((each) => each === value) ?? otherwise;
}

function listOf<T>(read: Read<T>): Read<readonly T[]> {
  return (value) => (isJsonArray(value) ? value.filter(isJsonObject).map(read) : []);
}

/** PHP prints an empty object as an empty list. */
function mapOf<T>(read: Read<T>): Read<{ readonly [key: string]: T }> {
  return (value) => mapEntries(objectOrEmpty(value), read);
}

function object<T extends object>(members: { readonly [Key in keyof T]: Read<T[Key]> }): Read<T> {
  const readers: readonly (readonly [string, Read<unknown>])[] = Object.entries(members);
  return (value) => {
    const holder = objectOrEmpty(value);
    // Each key is read as its type.
    return Object.fromEntries(readers.map(([key, read]) => [key, read(getOwn(holder, key))])) as T;
  };
}

const place = { file: text, line: lineNumber };
/** A place that is printed as `[file, line]`. */
const pair: Read<PhpPlace> = (value) => {
  const [file, line] = isJsonArray(value) ? value : [];
  return { file: text(file), line: lineNumber(line) };
};
const trail = { ...place, during: text, plugin: text };
const abilities = listOf(
  object<RunAbility>({
    ...place,
    plugin: text,
    name: text,
    json: text,
    lines: (value) => new Map(Object.entries(mapOf(pair)(value))),
    unknown: texts,
  }),
);
const refused = listOf(
  object<RefusedRegistration>({
    ...place,
    name: text,
    reason: text,
    kind: oneOf<RefusedRegistration["kind"]>(["category"], "ability"),
  }),
);
const harnessAnswer = object<HarnessAnswer>({
  php: text,
  abilities,
  refused,
  missing: object<Missing>({
    names: texts,
    constants: texts,
    functions: mapOf(text),
    kinds: mapOf(text),
    classConstants: mapOf(texts),
  }),
  uses: listOf(
    object<UndefinedUse>({
      ...place,
      name: text,
      plugin: text,
      hook: text,
      kind: oneOf(["function", "constant", "class"], "class"),
      isCaught: flag,
    }),
  ),
  loaded: texts,
  autoloaders: texts,
  madeUp: texts,
  errors: listOf(
    object<RunError>({
      ...trail,
      message: text,
      kind: oneOf(["parse", "thrown", "fatal", "exit"], "fatal"),
    }),
  ),
  outputs: listOf(object<PhpOutput>({ ...place, text, during: text })),
  isCutOff: flag,
  usesMadeUp: flag,
  usesDatabase: flag,
  decisions: listOf(object<DecidedCondition>({ ...place, origin: text })),
  asked: texts,
  hasChecks: flag,
  conditions: objectOrEmpty,
});

/** Parses an answer; undefined for a text that is not one. */
export function readHarnessAnswer(json: string): HarnessAnswer | undefined {
  const answer = tryParseJson(json);
  return isJsonObject(answer) ? harnessAnswer(answer) : undefined;
}

/** Returns the last step of a process that died, as `stub/run.php` saves it. */
export function readTrail(json: string | undefined): Trail | undefined {
  const step = json === undefined ? undefined : tryParseJson(json);
  return isJsonObject(step) ? object<Trail>(trail)(step) : undefined;
}

interface Trail extends PhpPlace {
  readonly during: string;
  /** The main file of the plugin that ran; empty if unknown. */
  readonly plugin: string;
}

/** The abilities of a WordPress. Files have the names that PHP reports there. */
export interface SiteAnswer {
  /** The version of PHP. */
  readonly php: string;
  readonly abilities: readonly RunAbility[];
  readonly refused: readonly RefusedRegistration[];
  /** The version of WordPress. */
  readonly wordpress: string;
  /** The loaded PHP files, without those of WordPress itself. */
  readonly included: readonly string[];
  readonly failure: SiteFailure | undefined;
}

/** Why a WordPress returned no abilities, as `site/collect.php` reports it. */
export interface SiteFailure extends PhpPlace {
  readonly kind: string;
  readonly message: string;
}

const siteFailure = object<SiteFailure>({ ...place, kind: text, message: text });
const siteAnswer = object<SiteAnswer>({
  php: text,
  abilities,
  refused,
  wordpress: text,
  included: texts,
  failure: (value) => (isJsonObject(value) ? siteFailure(value) : undefined),
});

/** Parses the answer of `site/collect.php`; undefined for a text that is not one. */
export function readSiteAnswer(json: string): SiteAnswer | undefined {
  const answer = tryParseJson(json);
  return isJsonObject(answer) ? siteAnswer(answer) : undefined;
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
