import { posix } from "node:path";
import { ts } from "ts-morph";
import { groupBy } from "../core/collections.js";
import { canonicalJson, sortCanonically, byCodeUnit, type JsonValue } from "../core/json.js";
import { ANY_STEP, type ConsumedCall, type ReadProperty } from "../core/consumer.js";
import { type Generated, type OpenProject, findUsers, openProjects, posixPath } from "./open-project.js";
import { findExports, findUsed, unwrap } from "./syntax.js";
import { findPassed, type PassedInput } from "./find-passed.js";
import { type FoundEscape, ReadFinder } from "./find-reads.js";
import { GeneratedToolFinder, type ToolModule, escapes, findUses } from "./tool-finder.js";
import { evaluate } from "./find-values.js";
import { indexOutputs } from "./output-properties.js";

interface ConsumptionRequest {
  /** The configuration's folder; paths of files are relative to it. */
  readonly dir: string;
  /** The output folder, absolute. */
  readonly output: string;
  /** The TypeScript configuration, absolute. */
  readonly tsconfig: string;
  readonly generated: Generated;
}

interface ToolUses {
  readonly calls: readonly ConsumedCall[];
  readonly reads: readonly ReadProperty[];
  readonly unknown: readonly string[];
  readonly files: readonly string[];
}

export interface Consumption extends ToolUses {
  readonly server: string;
  readonly tool: string;
}

/**
 * Returns the uses of the locked tools in a TypeScript project and in those of its `references`: by server, then tool.
 * Unused tools are left out.
 *
 * @throws McpCodegenError `USAGE` for a TypeScript configuration that cannot be read
 */
export function findConsumption(request: ConsumptionRequest): readonly Consumption[] {
  const found = new Map<ToolModule, FoundUses>();
  const used = new Set<string>();
  const leaving: Leaving[] = [];
  for (const project of openProjects(request.tsconfig))
    leaving.push(...lookInto(project, request, found, used));
  // Only now, since a project may call the exports of another.
  for (const { escape, at, path } of leaving)
    if (!used.has(at)) useIn(found, escape.property.tool, path).reads.push(escapeOf(escape, at));
  return [...found]
    .map(([{ server, tool }, uses]) => ({ server, tool, ...listUses(uses) }))
    .filter(({ calls, reads, unknown }) => calls.length + reads.length + unknown.length > 0)
    .sort((a, b) => byCodeUnit(a.server, b.server) || byCodeUnit(a.tool, b.tool));
}

/** An answer that leaves the project, unless the project's code uses the function that returns it. */
interface Leaving {
  readonly escape: FoundEscape;
  /** Where the function is declared. */
  readonly at: string;
  readonly path: string;
}

/** @param used gets the places of the declarations that code uses */
function lookInto(
  project: OpenProject,
  request: ConsumptionRequest,
  found: Map<ToolModule, FoundUses>,
  used: Set<string>,
): readonly Leaving[] {
  const { generated, dir } = request;
  const { users, pathsOf, compile } = findUsers(project, request.output, [generated]);
  if (users.length === 0) return [];
  const program = compile(generated.tree);
  const checker = program.getTypeChecker();
  const tools = new GeneratedToolFinder(checker, generated.tools, pathsOf);
  const outputs = indexOutputs(generated.tools, program, pathsOf);
  const pathOf = (file: ts.SourceFile): string => posix.relative(posixPath(dir), file.fileName);
  const leaver = new ReadFinder(program, outputs, tools);
  for (const file of users.flatMap((path) => program.getSourceFile(path) ?? [])) {
    const path = pathOf(file);
    for (const exported of findExports(file, checker)) leaver.leave(exported);
    for (const node of findUsed(file, checker)) used.add(keyOf(node, pathOf(node.getSourceFile())));
    for (const call of findUses(file, tools, checker).calls) {
      const uses = useIn(found, call.tool, path);
      const at = keyOf(call.node, path);
      uses.calls.push({ call: findPassed(call, checker), at });
      // Without an output schema, all tools answer with one type, whose properties lead to no tool.
      if (call.tool.definition["outputSchema"] === undefined && isKept(call.node))
        uses.reads.push({ paths: [""], at, compares: [] });
    }
    const reader = new ReadFinder(program, outputs, tools);
    reader.visit(file);
    for (const { property, node, compares } of reader.reads)
      useIn(found, property.tool, path).reads.push({
        paths: property.paths,
        at: keyOf(node, path),
        compares,
      });
    for (const escape of reader.escapes)
      useIn(found, escape.property.tool, path).reads.push(escapeOf(escape, keyOf(escape.node, path)));
    findUnknown(file, tools, checker, (tool, reason) => {
      useIn(found, tool, path).unknown.add(reason);
    });
  }
  return leaver.escapes.map((escape) => {
    const path = pathOf(escape.node.getSourceFile());
    return { escape, at: keyOf(escape.node, path), path };
  });
}

function useIn(found: Map<ToolModule, FoundUses>, tool: ToolModule, file: string): FoundUses {
  const uses = found.get(tool) ?? { calls: [], reads: [], unknown: new Set(), files: new Set() };
  found.set(tool, uses);
  uses.files.add(file);
  return uses;
}

function findUnknown(
  file: ts.SourceFile,
  tools: GeneratedToolFinder,
  checker: ts.TypeChecker,
  add: (tool: ToolModule, reason: string) => void,
): void {
  const visit = (node: ts.Node): void => {
    if (ts.isExpression(node) && escapes(node, tools, checker))
      for (const tool of tools.indexOf(node)?.values() ?? []) add(tool, "passes the whole connection on");
    if (ts.isElementAccessExpression(node)) {
      const index = tools.indexOf(node.expression);
      const names = evaluate(node.argumentExpression, checker, 0);
      for (const [name, tool] of index ?? [])
        if (names?.includes(name) !== false && !(names?.length === 1 && isCallee(node)))
          add(tool, "is reached by a computed name");
    }
    const used = isMember(node) ? node.expression : isPassedOn(node) ? node : undefined;
    if (used !== undefined) {
      const tool = tools.toolOf(used);
      if (tool !== undefined) add(tool, "is passed on as a function");
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}

/** Whether a node is `tool.bind`, `tool.call`, `tool.apply`, or `tool.safe` that is not called. */
function isMember(node: ts.Node): node is ts.PropertyAccessExpression {
  if (!ts.isPropertyAccessExpression(node)) return false;
  const { text } = node.name;
  return text === "bind" || text === "call" || text === "apply" || (text === "safe" && !isCallee(node));
}

/** Whether a name is used as a value, and neither called nor given another name. */
function isPassedOn(node: ts.Node): node is ts.Identifier | ts.PropertyAccessExpression {
  if (!ts.isIdentifier(node) && !ts.isPropertyAccessExpression(node)) return false;
  const { parent } = node;
  return (
    ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression !== node) ||
    ts.isArrayLiteralExpression(parent) ||
    (ts.isPropertyAssignment(parent) && parent.initializer === node) ||
    (ts.isShorthandPropertyAssignment(parent) && parent.name === node) ||
    ts.isReturnStatement(parent) ||
    (ts.isArrowFunction(parent) && parent.body === node) ||
    ts.isJsxExpression(parent) ||
    ts.isConditionalExpression(parent) ||
    ts.isAsExpression(parent)
  );
}

function isCallee(node: ts.Expression): boolean {
  return ts.isCallExpression(node.parent) && unwrap(node.parent.expression) === node;
}

/** Whether code uses a call's answer: not in `await tool(…);`. */
function isKept(node: ts.Expression): boolean {
  const { parent } = node;
  if (ts.isAwaitExpression(parent) || ts.isParenthesizedExpression(parent) || ts.isVoidExpression(parent))
    return isKept(parent);
  return !ts.isExpressionStatement(parent);
}

/** Identifies a place in the code. A file that two projects include counts once. */
function keyOf(node: ts.Node, path: string): string {
  return `${path}:${node.pos}:${node.end}`;
}

interface FoundRead {
  /** A type that several properties share has the paths of all. */
  readonly paths: readonly string[];
  readonly at: string;
  readonly compares: readonly JsonValue[];
  /** Why code may read everything in the value. */
  readonly unknown?: string;
}

/** The uses of one tool in all files, in the order in which they were found. */
interface FoundUses {
  readonly calls: { readonly call: PassedInput; readonly at: string }[];
  readonly reads: FoundRead[];
  readonly unknown: Set<string>;
  readonly files: Set<string>;
}

/** The read of everything in the object that a property belongs to. */
function escapeOf({ property, reason }: FoundEscape, at: string): FoundRead {
  const paths = property.paths.map((path) => path.slice(0, path.lastIndexOf("/")));
  return { paths, at, compares: [], unknown: reason };
}

function listUses({ calls, reads, unknown, files }: FoundUses): ToolUses {
  const reached = reachedPaths(reads.flatMap(({ paths }) => paths));
  const readPaths = reads.flatMap((read) => {
    // Only those paths count whose outer property is read too.
    const own = read.paths.filter((path) => reached.has(path));
    return (own.length > 0 ? own : read.paths).map((path) => ({ path, read }));
  });
  const byInput = groupBy(calls, ({ call }) => canonicalJson(JSON.parse(JSON.stringify(call)) as JsonValue));
  return {
    calls: sortByKey(byInput).map(([, same]) => ({ places: countPlaces(same), ...same[0].call })),
    reads: sortByKey(groupBy(readPaths, ({ path }) => path)).map(([path, all]) => {
      const own = all.map(({ read }) => read);
      const compares = new Map(
        own.flatMap((read) => read.compares.map((value) => [canonicalJson(value), value])),
      );
      const reasons = new Set(own.flatMap((read) => read.unknown ?? []));
      return {
        path,
        places: countPlaces(own),
        ...(compares.size > 0 && { compares: sortCanonically([...compares.values()]) }),
        ...(reasons.size > 0 && { unknown: [...reasons].sort(byCodeUnit).join("; ") }),
      };
    }),
    unknown: [...unknown].sort(byCodeUnit),
    files: [...files].sort(byCodeUnit),
  };
}

function sortByKey<T>(groups: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...groups].sort(([a], [b]) => byCodeUnit(a, b));
}

function countPlaces(uses: readonly { readonly at: string }[]): number {
  return new Set(uses.map(({ at }) => at)).size;
}

function reachedPaths(paths: readonly string[]): ReadonlySet<string> {
  const byDepth = [...new Set(paths)].sort((a, b) => a.split("/").length - b.split("/").length);
  const reached = new Set<string>();
  for (const path of byDepth) {
    const outer = outerOf(path);
    if (outer === "" || reached.has(outer)) reached.add(path);
  }
  return reached;
}

/** The path of the property around a path, or of the list whose items the path is. */
function outerOf(path: string): string {
  const isItem = path.endsWith(`/${ANY_STEP}`);
  return (isItem ? path : path.slice(0, path.lastIndexOf("/"))).replace(/(?<!\/\*)(?:\/\*)+$/, "");
}
