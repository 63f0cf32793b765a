import { posix } from "node:path";
import { ts } from "ts-morph";
import { applyEdits, type TextEdit } from "../../core/rename.js";
import { type ChangePlace, propertyNamesOf, placeOfChange } from "../changes.js";
import { posixPath } from "../open-project.js";
import { findErrors } from "../find-mismatches.js";
import { passedAt } from "../find-rejected.js";
import { type ToolCall, GeneratedToolFinder, type ToolModule, findParses, findUses } from "../tool-finder.js";
import type { CodeLocation, OpenedCode, PlacedPropertyRename, RenameRequest } from "./open-code.js";
import { propertiesAt, rootOf } from "./renamed-declarations.js";

/** A place that a person has to look at. */
export interface Leftover {
  /** Posix, relative to the configuration. */
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** The same, as a node of the code. */
export interface LeftoverNode {
  readonly node: ts.Node;
  readonly message: string;
}

interface EditedCode extends OpenedCode {
  /** Found before the edits. */
  readonly left: readonly LeftoverNode[];
  readonly renamed: ReadonlyMap<string, readonly TextEdit[]>;
}

interface LeftoverRequest extends CodeLocation, RenameRequest {
  /** Files that changed since the code was written for the old generated files, as they were, by absolute posix path. */
  readonly former: ReadonlyMap<string, string>;
}

/**
 * Returns the new errors after the edits, against the new generated files, and the places that compile and still pass a
 * property by its old name: the compiler accepts more properties in a variable than its type has.
 */
export function findLeftovers(
  { dir, before, after, tools, properties, former }: LeftoverRequest,
  { folder, users, program, compile, renamed, left }: EditedCode,
): readonly Leftover[] {
  const texts = new Map(
    [...renamed].flatMap(([path, edits]): readonly (readonly [string, string])[] => {
      const file = program.getSourceFile(path);
      return file === undefined ? [] : [[path, applyEdits(file.text, edits)]];
    }),
  );
  const now = compile(after.tree, undefined, texts);
  // Errors are old if the code had them when it was written, before an earlier run edited it.
  const was = former.size === 0 ? program : compile(before.tree, undefined, former);
  const leftAt = (file: ts.SourceFile, position: number, message: string): Leftover =>
    placeAt(dir, file, position, message);
  const names = new Map([
    ...tools.flatMap((rename) => [...rename.names]),
    ...properties.map(({ rename }) => [rename.before, rename.after] as const),
  ]);
  const errors = users.flatMap((path) =>
    findNewErrors(path, was, now).flatMap(({ file, start = 0, messageText }) =>
      file === undefined ? [] : [leftAt(file, start, explain(wordsOf(messageText), names))],
    ),
  );
  const still = findStillPassed(
    properties,
    findToolCalls(users, now, { tools: after.tools, folder }),
    now,
    folder,
  );
  return addWhereNone(dir, errors, [...still, ...left]);
}

/** Adds the places on lines that have none yet. */
export function addWhereNone(
  dir: string,
  known: readonly Leftover[],
  added: readonly LeftoverNode[],
): readonly Leftover[] {
  const lines = new Set(known.map(({ file, line }) => `${file}:${line}`));
  const places = added.map(({ node, message }) =>
    placeAt(dir, node.getSourceFile(), node.getStart(), message),
  );
  return [...known, ...places.filter(({ file, line }) => !lines.has(`${file}:${line}`))];
}

function placeAt(dir: string, file: ts.SourceFile, position: number, message: string): Leftover {
  const path = posix.relative(posixPath(dir), file.fileName);
  return { file: path, line: file.getLineAndCharacterOfPosition(position).line + 1, message };
}

function wordsOf(message: ts.Diagnostic["messageText"]): string {
  const words = ts.flattenDiagnosticMessageText(message, " ").replaceAll(/\s+/g, " ");
  return words.replaceAll(/typeof import\("(?:[^"]*\/)?([^"/]+)\/index"\)/g, "typeof $1");
}

/** Longer messages of the compiler print whole types. */
const LONGEST = 240;

function explain(message: string, names: ReadonlyMap<string, string>): string {
  const renamed = [...names].filter(([from]) =>
    [`'${from}'`, `"${from}"`, ` ${from}: `, ` ${from}?: `].some((text) => message.includes(text)),
  );
  const why = renamed.slice(0, 2).map(([from, to]) => `\`${from}\` was renamed to \`${to}\``);
  const cut = message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message;
  return why.length === 0 ? cut : `${cut.replace(/\.$/, "")}; ${why.join(", and ")}`;
}

/** The errors of a file that it did not have as often before the edits, which moved the others. */
function findNewErrors(path: string, before: ts.Program, now: ts.Program): readonly ts.Diagnostic[] {
  const keyOf = ({ messageText, code }: ts.Diagnostic): string => `${code} ${wordsOf(messageText)}`;
  const known = new Map<string, number>();
  for (const error of findErrors(path, before)) known.set(keyOf(error), (known.get(keyOf(error)) ?? 0) + 1);
  return findErrors(path, now).filter((error) => {
    const count = known.get(keyOf(error)) ?? 0;
    known.set(keyOf(error), count - 1);
    return count <= 0;
  });
}

/** The places where code passes a renamed property by its old name, which the new types do not have. */
function findStillPassed(
  properties: readonly PlacedPropertyRename[],
  calls: readonly ToolCall[],
  program: ts.Program,
  folder: string,
): readonly LeftoverNode[] {
  const checker = program.getTypeChecker();
  return properties.flatMap(({ now, rename: { kind, change, after } }) => {
    const place = kind === "property" ? placeOfChange(change) : undefined;
    const file = now === undefined ? undefined : program.getSourceFile(posix.join(folder, now.tool.path));
    if (now === undefined || file === undefined || place?.side !== "input") return [];
    const root = rootOf(change, now.tool);
    if (propertiesAt(file, now.type, place, { checker, root }).length > 0) return [];
    const message = `passes \`${propertyNamesOf(place).at(-1) ?? ""}\`, renamed to \`${after}\``;
    return calls
      .filter(({ tool }) => tool === now.tool)
      .flatMap(({ node }) => findPassedAt(node, place, checker))
      .map((node) => ({ node, message }));
  });
}

/** Returns the expressions that a call passes at a place of its argument. */
export function findPassedAt(
  { arguments: [argument] }: ts.CallExpression,
  place: ChangePlace,
  checker: ts.TypeChecker,
): readonly ts.Node[] {
  if (argument === undefined) return [];
  const found = passedAt(argument, place, checker);
  if (!place.isAnywhere) return found.map(({ node }) => node);
  // Another definition may have the name as well.
  return found.flatMap(({ node }) => {
    const object = node.parent.parent;
    const type = ts.isObjectLiteralExpression(object) ? checker.getContextualType(object) : undefined;
    const name = propertyNamesOf(place).at(-1) ?? "";
    return type === undefined || checker.getPropertyOfType(type, name) !== undefined ? [] : [node];
  });
}

/** The calls of tools in some files, and of their input schemas. */
export function findToolCalls(
  paths: readonly string[],
  program: ts.Program,
  { tools, folder }: { readonly tools: readonly ToolModule[]; readonly folder: string },
): readonly ToolCall[] {
  const checker = program.getTypeChecker();
  const finder = new GeneratedToolFinder(checker, tools, (path) => [posix.join(folder, path)]);
  const files = paths.flatMap((path) => program.getSourceFile(path) ?? []);
  return files.flatMap((file) => [...findUses(file, finder, checker).calls, ...findParses(file, finder)]);
}
