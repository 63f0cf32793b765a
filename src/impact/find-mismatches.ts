import { ts } from "ts-morph";
import { isModuleName } from "./syntax.js";
import type { Change } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import { propertyNamesOf, placeOfChange } from "./changes.js";
import { type Spot, describeMismatch, describeSpot, nodeAt } from "./describe-hit.js";
import { findClashes } from "./find-clashes.js";
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
    const { names, ...at } = describeSpot(file, error.start, error.length);
    const spot = { ...at, names: [...names, ...error.below] };
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
  if (change === undefined || isRenamedBeside(error, change)) return undefined;
  const says = describeMismatch(spot, change, error.message);
  return { change, node: spot.node, says, effect: "stops-compiling" };
}

/** Whether an object lacks the new name of a property since it passes the old one, which is an error of its own. */
function isRenamedBeside({ unknown }: CodeError, change: Change): boolean {
  const place = change.rule.endsWith("-property-renamed") ? placeOfChange(change) : undefined;
  const oldName = place && propertyNamesOf(place).at(-1);
  return unknown.some((name) => name === oldName);
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
    const own = ts.isIdentifier(node) || isModuleName(node) ? finder.toolsAt(node) : [];
    const below: ToolModule[] = [];
    ts.forEachChild(node, (child) => void below.push(...gather(child)));
    return [...own.filter((tool) => changes.has(tool)), ...below];
  };
  for (let at = spot.node; ; at = at.parent) {
    const found = gather(at);
    if (found.length > 0) return [...new Set(found)];
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

/** Whether the compiler quotes the changed property, its new name, or a value that only one side of the change has. */
function isQuoted(change: Change, message: string): boolean {
  const { rule, before, after } = change;
  const place = placeOfChange(change);
  if (place === undefined) return false;
  const others = /-(?:enum|const|property-renamed)/.test(rule) ? [before, after].flat() : [];
  return [propertyNamesOf(place).at(-1), ...others].some(
    (text) =>
      typeof text === "string" &&
      text !== "" &&
      [`'${text}'`, `.${text}'`, `"${text}"`].some((quoted) => message.includes(quoted)),
  );
}

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
  /** The names that lead from the marked code to the property that is wrong or missing; empty where that is not known. */
  readonly below: readonly string[];
  /** The value in which the error is, if it is one of a value. */
  readonly value: ts.Expression | undefined;
  /** Whether the compiler leaves it out, since the value has another error. */
  readonly isHidden: boolean;
  /** Properties beside a missing one that the type does not have. */
  readonly unknown: readonly string[];
}

/** Returns the errors of a file that are in one program but not in the other. */
export function compareDiagnostics(
  path: string,
  before: ts.Program,
  after: ts.Program,
): readonly CodeError[] {
  const errors = findNewErrors(path, before, after);
  // A value that had errors before has new ones only if the compiler reports one.
  const values = new Set(errors.filter(({ isHidden }) => !isHidden).map(({ value }) => value));
  return errors.filter(({ isHidden, value }) => !isHidden || values.has(value));
}

/**
 * As `compareDiagnostics`, with hidden errors of values that did not compile before. Both programs have the same text, so
 * errors are compared by position: an old error stays old even if its message changed.
 */
function findNewErrors(path: string, before: ts.Program, after: ts.Program): readonly CodeError[] {
  const known = groupBy(findAllErrors(path, before), ({ start }) => String(start));
  const errors = findAllErrors(path, after).filter(
    (error) => known.get(String(error.start))?.some((old) => isSamePart(old, error)) !== true,
  );
  const values = new Set(errors.map(({ value }) => value));
  const clashed = [...values].flatMap((value) =>
    value === undefined ? [] : findClashes(value, before.getTypeChecker()),
  );
  const isOld = ({ start, below }: CodeError): boolean =>
    clashed.some((clash) => keyOf(clash.node.getStart(), clash.below) === keyOf(start, below));
  return errors.filter((error) => !error.isHidden || !isOld(error));
}

function keyOf(start: number, below: readonly string[]): string {
  return JSON.stringify([start, below]);
}

function isSamePart({ below: a }: CodeError, { below: b }: CodeError): boolean {
  return a.length === 0 || b.length === 0 || a.join("/") === b.join("/");
}

/** The errors of files by program. */
const completed = new WeakMap<ts.Program, Map<string, readonly CodeError[]>>();

/** The errors of a file, with those that the compiler leaves out since the same value has others. */
function findAllErrors(path: string, program: ts.Program): readonly CodeError[] {
  const known = completed.get(program) ?? new Map<string, readonly CodeError[]>();
  completed.set(program, known);
  const errors = known.get(path) ?? completeErrors(findErrors(path, program), program.getTypeChecker());
  known.set(path, errors);
  return errors;
}

function completeErrors(
  diagnostics: readonly ts.Diagnostic[],
  checker: ts.TypeChecker,
): readonly CodeError[] {
  const errors = new Map<string, CodeError>();
  for (const { file, start, length = 0, messageText, relatedInformation = [] } of diagnostics) {
    if (file === undefined || start === undefined) continue;
    const message = ts.flattenDiagnosticMessageText(messageText, " ");
    const related = relatedInformation.flatMap((one) => one.file?.fileName ?? []);
    const node = nodeAt(file, start, start + length);
    const clashes = findClashes(node, checker).map((clash) => ({
      ...clash,
      start: clash.node.getStart(file),
      length: clash.node.getEnd() - clash.node.getStart(file),
    }));
    const here = clashes.filter((clash) => clash.start === start);
    // Of several properties, the compiler names all or any of them.
    if (here.length < 2) {
      const { below = [], unknown = [] } = here[0] ?? {};
      const value = clashes[0]?.value;
      errors.set(keyOf(start, below), {
        start,
        length,
        message,
        related,
        below,
        unknown,
        value,
        isHidden: false,
      });
    }
    for (const clash of clashes) {
      const key = keyOf(clash.start, clash.below);
      const isHidden = clash.start !== start;
      if (errors.get(key)?.isHidden !== false)
        errors.set(key, { ...clash, related: [...clash.related, ...related], isHidden });
    }
  }
  return [...errors.values()];
}

/** The errors of a file. The compiler caches them per program. */
export function findErrors(path: string, program: ts.Program): readonly ts.Diagnostic[] {
  const file = program.getSourceFile(path);
  return file === undefined
    ? []
    : program.getSemanticDiagnostics(file).filter(({ category }) => category === ts.DiagnosticCategory.Error);
}

interface Compiler {
  readonly old: ts.Program;
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
  { old, compile }: Compiler,
): Promise<readonly Mismatch[]> {
  const changes = [...new Set(mismatches.filter(isTied).flatMap(({ candidates }) => candidates))];
  let found = mismatches;
  for (let bit = 1; bit < changes.length && found.some(isTied); bit *= 2) {
    const groups: Group[] = [];
    for (const side of [0, bit]) {
      const group = changes.filter((_change, index) => (index & bit) === side);
      const program = await compile(group);
      groups.push({
        changes: new Set(group),
        errorsIn: (file) => findNewErrors(file.fileName, old, program),
      });
    }
    found = found.map((mismatch) => (isTied(mismatch) ? narrow(mismatch, groups) : mismatch));
  }
  return found;
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
    groups.filter((one) => one.errorsIn(file).some((other) => isSame(other, error)));
  const exact = groupsWith(isSamePlace);
  const [group, ...others] = exact.length > 0 ? exact : groupsWith(overlaps);
  if (group === undefined || others.length > 0) return mismatch;
  const candidates = mismatch.candidates.filter((change) => group.changes.has(change));
  return candidates.length === 0 ? mismatch : { ...mismatch, candidates };
}

function isSamePlace(a: CodeError, b: CodeError): boolean {
  return a.start === b.start && a.length === b.length && isSamePart(a, b);
}

/** With other changes, the compiler may mark a smaller or larger part of the same code. */
function overlaps(a: CodeError, b: CodeError): boolean {
  return a.start < b.start + b.length && b.start < a.start + a.length;
}
