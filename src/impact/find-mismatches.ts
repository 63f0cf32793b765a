import { ts } from "ts-morph";
import { isModuleName } from "./syntax.js";
import type { Change } from "../core/change.js";
import { propertyNamesOf, placeOfChange } from "./changes.js";
import { type Spot, describeMismatch, describeSpot } from "./describe-hit.js";
import type { Hit } from "./find-rejected.js";
import type { GeneratedToolFinder, ToolModule } from "./tool-finder.js";

interface Suspects {
  /** The changed tools, with their changes. */
  readonly changes: ReadonlyMap<ToolModule, readonly Change[]>;
  readonly finder: GeneratedToolFinder;
  /** Returns the tool of a module path, old or new. */
  readonly toolOfPath: (path: string) => ToolModule | undefined;
}

/** An error in a file that occurs only with the new generated code, and the changes that may cause it. */
interface Mismatch {
  readonly file: ts.SourceFile;
  readonly error: CodeError;
  readonly spot: Spot;
  /** The best explanation first. */
  readonly candidates: readonly Change[];
}

/** Finds the changes that may cause each new error of a file; nothing else differs between the programs. */
export function findMismatches(
  file: ts.SourceFile,
  errors: readonly CodeError[],
  suspects: Suspects,
): readonly Mismatch[] {
  const { changes } = suspects;
  return errors.map((error) => {
    const spot = describeSpot(file, error.start, error.length);
    const near = suspectsOf(spot, error, suspects).flatMap((tool) => changes.get(tool) ?? []);
    const isNamed = (change: Change): boolean => isQuoted(change, error.message) || isTouched(change, spot);
    const others = near.some(isNamed) ? [] : [...changes.values()].flat().filter(isNamed);
    const scores = new Map(
      [...near, ...others].map((change) => [change, scoreOf(change, spot, error.message)]),
    );
    const candidates = [...scores].sort(([, a], [, b]) => b - a).map(([change]) => change);
    return { file, error, spot, candidates };
  });
}

/** Assigns an error to the change that explains it best. */
export function assignMismatch({ spot, error, candidates: [change] }: Mismatch): Hit | undefined {
  if (change === undefined) return undefined;
  const says = describeMismatch(spot, change, error.message);
  return { change, node: spot.node, says, effect: "stops-compiling" };
}

/**
 * The changed tools that may have caused an error: those whose declarations the compiler refers to, or else those
 * used nearest to it.
 */
function suspectsOf(spot: Spot, { related }: CodeError, suspects: Suspects): readonly ToolModule[] {
  const { changes, finder, toolOfPath } = suspects;
  const pointed = related.flatMap((path) => toolOfPath(path) ?? []).filter((tool) => changes.has(tool));
  if (pointed.length > 0) return pointed;
  const seen = new Set<ts.Node>();
  const gather = (node: ts.Node): readonly ToolModule[] => {
    if (seen.has(node)) return [];
    seen.add(node);
    const modules = ts.isIdentifier(node) || isModuleName(node) ? finder.toolsAt(node) : [];
    const below: ToolModule[] = [];
    ts.forEachChild(node, (child) => void below.push(...gather(child)));
    return [...modules.filter((tool) => changes.has(tool)), ...below];
  };
  for (let at = spot.node; ; at = at.parent) {
    const modules = gather(at);
    if (modules.length > 0) return [...new Set(modules)];
    if (ts.isSourceFile(at)) return [...changes.keys()];
  }
}

function scoreOf(change: Change, spot: Spot, message: string): number {
  const place = placeOfChange(change);
  const isTyped = (change.impacts.includes("types") ? 1 : 0) + (change.class === "breaking" ? 1 : 0);
  if (place === undefined) {
    const isGone = /^(?:tool-(?:removed|renamed)|output-schema-)/.test(change.rule);
    return isTyped + (isGone ? 20 : 0);
  }
  const names = propertyNamesOf(place);
  const isPassed = spot.does === "passes" ? 1 : 0;
  const isRead = spot.does === "reads" ? 1 : 0;
  const side = place.side === "input" ? isPassed - isRead : isRead - isPassed;
  const isLast = isTouched(change, spot) && spot.names.at(-1) === names.at(-1);
  const common = commonEnd(names, spot.names);
  return (
    isTyped +
    side * 4 +
    (isLast ? 12 : isTouched(change, spot) ? 4 : 0) +
    common +
    (common === names.length && common === spot.names.length ? 1 : 0) +
    (isQuoted(change, message) ? 8 : 0)
  );
}

/** Whether the code passes or reads the changed property, or a part of it. */
function isTouched(change: Change, { names }: Spot): boolean {
  const place = placeOfChange(change);
  const name = place && propertyNamesOf(place).at(-1);
  return name !== undefined && names.includes(name);
}

/** Whether the compiler names the changed property, its new name, or a value that only one side of the change has. */
function isQuoted(change: Change, message: string): boolean {
  const { rule, before, after } = change;
  const place = placeOfChange(change);
  if (place === undefined) return false;
  const others = /-(?:enum|const|property-renamed)/.test(rule) ? [before, after].flat() : [];
  const [, missing = ""] = MISSING.exec(message) ?? [];
  return [propertyNamesOf(place).at(-1), ...others].some(
    (text) =>
      typeof text === "string" &&
      text !== "" &&
      ([`'${text}'`, `.${text}'`, `"${text}"`].some((quoted) => message.includes(quoted)) ||
        missing.split(", ").includes(text)),
  );
}

/** The end of a message about several properties, whose names it does not quote. */
const MISSING = /is missing the following properties from type '[^']*': ([^']*)/;

function commonEnd(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count += 1;
  return count;
}

interface CodeError {
  readonly start: number;
  readonly length: number;
  /** In one line. */
  readonly message: string;
  /** Other files that the compiler refers to: the declarations of expected types. */
  readonly related: readonly string[];
}

/**
 * Returns the errors of a file that are in one program but not in the other. Both programs have the same text, so errors are
 * compared by position: an old error stays old even if its message changed.
 */
export function compareDiagnostics(
  path: string,
  before: ts.Program,
  after: ts.Program,
): readonly CodeError[] {
  const starts = new Set(findErrors(path, before).map(({ start }) => start));
  return findErrors(path, after).flatMap(({ start, length = 0, messageText, relatedInformation = [] }) => {
    if (start === undefined || starts.has(start)) return [];
    const message = ts.flattenDiagnosticMessageText(messageText, " ");
    const related = relatedInformation.flatMap(({ file }) => file?.fileName ?? []);
    return [{ start, length, message, related }];
  });
}

/** The errors of a file. The compiler caches them per program. */
export function findErrors(path: string, program: ts.Program): readonly ts.Diagnostic[] {
  const file = program.getSourceFile(path);
  return file === undefined
    ? []
    : program.getSemanticDiagnostics(file).filter(({ category }) => category === ts.DiagnosticCategory.Error);
}

interface Compiler {
  readonly before: ts.Program;
  /** Compiles the code after these changes and no others. */
  readonly compile: (changes: readonly Change[]) => Promise<ts.Program>;
}

/**
 * Returns the errors with only those candidates that cause them. Where several changes are possible, the changes are
 * split in two groups, and the code is compiled after each group alone: the group with the error has its cause. Each
 * split is by another bit of the number of a change, so 16 changes need four splits.
 */
export async function findCauses(
  mismatches: readonly Mismatch[],
  { before, compile }: Compiler,
): Promise<readonly Mismatch[]> {
  const changes = [...new Set(mismatches.filter(isTied).flatMap(({ candidates }) => candidates))];
  let rest = mismatches;
  for (let bit = 1; bit < changes.length && rest.some(isTied); bit *= 2) {
    const groups: Group[] = [];
    for (const side of [0, bit]) {
      const group = changes.filter((_change, index) => (index & bit) === side);
      const program = await compile(group);
      groups.push({
        changes: new Set(group),
        errorsIn: (file) => compareDiagnostics(file.fileName, before, program),
      });
    }
    rest = rest.map((mismatch) => (isTied(mismatch) ? narrow(mismatch, groups) : mismatch));
  }
  return rest;
}

interface Group {
  readonly changes: ReadonlySet<Change>;
  /** The new errors of a file after these changes alone. */
  readonly errorsIn: (file: ts.SourceFile) => readonly CodeError[];
}

function isTied({ candidates }: Mismatch): boolean {
  return candidates.length > 1;
}

/** Keeps all candidates if both groups have the error, or if it needs changes of both. */
function narrow(mismatch: Mismatch, groups: readonly Group[]): Mismatch {
  const { file, error } = mismatch;
  const groupsWith = (isSame: (a: CodeError, b: CodeError) => boolean): readonly Group[] =>
    groups.filter((candidate) => candidate.errorsIn(file).some((other) => isSame(other, error)));
  const exact = groupsWith(isSamePlace);
  const [group, ...others] = exact.length > 0 ? exact : groupsWith(overlaps);
  if (group === undefined || others.length > 0) return mismatch;
  const candidates = mismatch.candidates.filter((change) => group.changes.has(change));
  return candidates.length === 0 ? mismatch : { ...mismatch, candidates };
}

function isSamePlace(a: CodeError, b: CodeError): boolean {
  return a.start === b.start && a.length === b.length;
}

/** With other changes, the compiler may mark a smaller or larger part of the same code. */
function overlaps(a: CodeError, b: CodeError): boolean {
  return a.start < b.start + b.length && b.start < a.start + a.length;
}
