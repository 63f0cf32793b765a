import { posix } from "node:path";
import { ts } from "ts-morph";
import { byCodeUnit } from "../contract/json.js";
import { applyEdits, type TextEdit } from "../contract/text-edit.js";
import { namesOf, placeOf } from "./change-place.js";
import { cacheOf, createHost, overlayOf } from "./create-host.js";
import { describeRejected } from "./describe-hit.js";
import { findErrors } from "./find-mismatches.js";
import { findUses, type ToolCall } from "./find-uses.js";
import { findValues } from "./find-values.js";
import type { OpenProject } from "./open-project.js";
import type { OpenedCode, PropertyRename, RenameRequest } from "./rename-in-code.js";
import { propertiesAt } from "./renamed-declarations.js";
import { ToolFinder, type ToolModule } from "./tool-finder.js";

/** A place that a person has to look at. */
export interface Leftover {
  /** Posix, relative to the configuration. */
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** The user's code with its edits. */
interface EditedCode extends OpenedCode {
  readonly ambient: readonly string[];
  readonly renamed: ReadonlyMap<string, readonly TextEdit[]>;
}

/**
 * What compiled before and does not after the edits, against the new generated files, and what compiles and still passes a
 * property by its old name: the compiler accepts more properties in a variable than its type has.
 */
export function findLeftovers(
  project: OpenProject,
  { dir, after, properties }: RenameRequest,
  { folder, users, ambient, program, renamed }: EditedCode,
): readonly Leftover[] {
  const texts = new Map(
    [...renamed].map(
      ([path, edits]) => [path, applyEdits(program.getSourceFile(path)?.text ?? "", edits)] as const,
    ),
  );
  const overlay = new Map([...overlayOf(after.tree, [folder]), ...texts]);
  const now = ts.createProgram({
    rootNames: [...new Set([...users, ...ambient])],
    options: project.options,
    host: createHost(project.options, overlay, cacheOf(program)),
  });
  const leftAt = (file: ts.SourceFile, position: number, message: string): Leftover => ({
    file: posix.relative(dir.replaceAll("\\", "/"), file.fileName),
    line: file.getLineAndCharacterOfPosition(position).line + 1,
    message,
  });
  const errors = users.flatMap((path) =>
    findNewErrors(path, program, now).flatMap(({ file, start = 0, messageText }) =>
      file === undefined ? [] : [leftAt(file, start, ts.flattenDiagnosticMessageText(messageText, " "))],
    ),
  );
  const lines = new Set(errors.map(({ file, line }) => `${file}:${line}`));
  const passed = findStillPassed(
    properties,
    findCalls(users, now, { tools: after.tools, folder }),
    now,
    folder,
  )
    .map(({ node, message }) => leftAt(node.getSourceFile(), node.getStart(), message))
    .filter(({ file, line }) => !lines.has(`${file}:${line}`));
  return [...errors, ...passed].sort((a, b) => byCodeUnit(a.file, b.file) || a.line - b.line);
}

/** The errors of a file that it did not have as often before the edits, which moved the others. */
function findNewErrors(path: string, before: ts.Program, now: ts.Program): readonly ts.Diagnostic[] {
  const wordsOf = ({ messageText, code }: ts.Diagnostic): string =>
    `${code} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  const known = new Map<string, number>();
  for (const error of findErrors(path, before))
    known.set(wordsOf(error), (known.get(wordsOf(error)) ?? 0) + 1);
  return findErrors(path, now).filter((error) => {
    const count = known.get(wordsOf(error)) ?? 0;
    known.set(wordsOf(error), count - 1);
    return count <= 0;
  });
}

/** The places where code passes a renamed property by its old name, which the new types do not have. */
function findStillPassed(
  properties: readonly PropertyRename[],
  calls: readonly ToolCall[],
  program: ts.Program,
  folder: string,
): readonly { readonly node: ts.Node; readonly message: string }[] {
  const checker = program.getTypeChecker();
  return properties.flatMap(({ kind, now, change }) => {
    const place = kind === "property" ? placeOf(change) : undefined;
    const file = now === undefined ? undefined : program.getSourceFile(posix.join(folder, now.tool.path));
    if (now === undefined || file === undefined || place?.side !== "input" || place.isAnywhere) return [];
    if (propertiesAt(file, now.type, place, checker).length > 0) return [];
    const message = describeRejected(namesOf(place).at(-1), change);
    return calls
      .filter(({ tool }) => tool === now.tool)
      .flatMap(
        ({
          node: {
            arguments: [argument],
          },
        }) => (argument === undefined ? [] : findValues(argument, place.steps, checker)),
      )
      .map(({ node }) => ({ node, message }));
  });
}

/** The calls of tools in some files. */
export function findCalls(
  paths: readonly string[],
  program: ts.Program,
  { tools, folder }: { readonly tools: readonly ToolModule[]; readonly folder: string },
): readonly ToolCall[] {
  const checker = program.getTypeChecker();
  const finder = new ToolFinder(checker, tools, (path) => [posix.join(folder, path)]);
  const files = paths.flatMap((path) => program.getSourceFile(path) ?? []);
  return files.flatMap((file) => findUses(file, finder, checker).calls);
}
