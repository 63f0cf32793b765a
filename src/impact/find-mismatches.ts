import { ts } from "ts-morph";
import type { Change } from "../contract/change.js";
import { namesOf, placeOf } from "./change-place.js";
import { describeMismatch, describeSpot, isModuleName, type Spot } from "./describe-hit.js";
import type { Hit } from "./find-rejected.js";
import type { ToolFinder, ToolModule } from "./tool-finder.js";

interface Suspects {
  /** The changed tools, with their changes. */
  readonly changes: ReadonlyMap<ToolModule, readonly Change[]>;
  readonly finder: ToolFinder;
  /** Returns the tool of a module path, old or new. */
  readonly toolOfPath: (path: string) => ToolModule | undefined;
}

/**
 * Assigns each new error of a file to the change that explains it best; nothing else differs between the programs.
 */
export function findMismatches(
  file: ts.SourceFile,
  errors: readonly NewError[],
  suspects: Suspects,
): readonly Hit[] {
  return errors.flatMap((error): readonly Hit[] => {
    const spot = describeSpot(file, error.start, error.length);
    const tools = suspectsOf(spot, error, suspects);
    const change = tools
      .flatMap((tool) => suspects.changes.get(tool) ?? [])
      .map((candidate) => ({ candidate, score: scoreOf(candidate, spot, error.message) }))
      .reduce<{ candidate: Change; score: number } | undefined>(
        (best, next) => (best === undefined || next.score > best.score ? next : best),
        undefined,
      )?.candidate;
    if (change === undefined) return [];
    const says = describeMismatch(spot, change, error.message);
    return [{ change, node: spot.node, says, effect: "stops-compiling" }];
  });
}

/**
 * The changed tools that may have caused an error: those whose declarations the compiler refers to, or else those
 * used nearest to it.
 */
function suspectsOf(spot: Spot, { related }: NewError, suspects: Suspects): readonly ToolModule[] {
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

/** Scores how well a change explains an error: by its property, by the compiler's message, by its side. */
function scoreOf(change: Change, spot: Spot, message: string): number {
  const place = placeOf(change);
  const isTyped = (change.impacts.includes("types") ? 1 : 0) + (change.class === "breaking" ? 1 : 0);
  if (place === undefined) {
    const isGone = /^(?:tool-(?:removed|renamed)|output-schema-)/.test(change.rule);
    return isTyped + (isGone ? 20 : 0);
  }
  const names = namesOf(place);
  const name = names.at(-1);
  const isPassed = spot.does === "passes" ? 1 : 0;
  const isRead = spot.does === "reads" ? 1 : 0;
  const side = place.side === "input" ? isPassed - isRead : isRead - isPassed;
  const isNamed = name !== undefined && spot.names.includes(name);
  const newName = change.rule.endsWith("-property-renamed") ? change.after : undefined;
  const isQuoted = [name, newName].some(
    (one) =>
      typeof one === "string" &&
      [`'${one}'`, `.${one}'`, `"${one}"`].some((quoted) => message.includes(quoted)),
  );
  return (
    isTyped +
    side * 4 +
    (isNamed && spot.names.at(-1) === name ? 12 : isNamed ? 4 : 0) +
    commonEnd(names, spot.names) +
    (isQuoted ? 8 : 0) +
    (mentionsValue(change, message) ? 8 : 0)
  );
}

function commonEnd(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count += 1;
  return count;
}

/** Whether the compiler quotes a value that only one side of the change has. */
function mentionsValue({ before, after }: Change, message: string): boolean {
  return [before, after]
    .flat()
    .some(
      (value) =>
        typeof value === "string" &&
        value !== "" &&
        (message.includes(`"${value}"`) || message.includes(`'${value}'`)),
    );
}

/** An error in a file that occurs only with the new generated code. */
interface NewError {
  readonly start: number;
  readonly length: number;
  /** In one line. */
  readonly message: string;
  /** Other files that the compiler refers to: the declarations of expected types. */
  readonly related: readonly string[];
}

/**
 * Returns the errors of a file that are in one program but not in the other. Both have the same text, so errors are
 * compared by position: an old error stays old even if its message changed.
 */
export function compareDiagnostics(path: string, before: ts.Program, after: ts.Program): readonly NewError[] {
  const known = new Set(findErrors(path, before).map(({ start }) => start));
  return findErrors(path, after).flatMap((error) => {
    if (error.start === undefined || known.has(error.start)) return [];
    return [
      {
        start: error.start,
        length: error.length ?? 0,
        message: ts.flattenDiagnosticMessageText(error.messageText, " "),
        related: (error.relatedInformation ?? []).flatMap(({ file }) => file?.fileName ?? []),
      },
    ];
  });
}

/** The errors of a file. The compiler caches them per program. */
export function findErrors(path: string, program: ts.Program): readonly ts.Diagnostic[] {
  const file = program.getSourceFile(path);
  return file === undefined
    ? []
    : program.getSemanticDiagnostics(file).filter(({ category }) => category === ts.DiagnosticCategory.Error);
}
