import { posix } from "node:path";
import { ts } from "ts-morph";
import { canonicalJson, sortCanonically, byCodeUnit, isEqual, type JsonValue } from "../core/json.js";
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
  const found = new Map<ToolModule, ToolUse>();
  const used = new Set<string>();
  const leaving: Leaving[] = [];
  for (const project of openProjects(request.tsconfig))
    leaving.push(...lookInto(project, request, found, used));
  // Only now, since a project may call the exports of another.
  for (const { use, escape, at, path } of leaving)
    if (!used.has(at)) use.addEscape(escape.property.paths, at, escape.reason, path);
  return [...found]
    .map(([{ server, tool }, use]) => ({ server, tool, ...use.finish() }))
    .filter(({ calls, reads, unknown }) => calls.length + reads.length + unknown.length > 0)
    .sort((a, b) => byCodeUnit(a.server, b.server) || byCodeUnit(a.tool, b.tool));
}

/** An answer that leaves the project, unless the project's code uses the function that returns it. */
interface Leaving {
  readonly use: ToolUse;
  readonly escape: FoundEscape;
  /** Where the function is declared. */
  readonly at: string;
  readonly path: string;
}

/** @param used gets the places of the declarations that code uses */
function lookInto(
  project: OpenProject,
  request: ConsumptionRequest,
  found: Map<ToolModule, ToolUse>,
  used: Set<string>,
): readonly Leaving[] {
  const { generated, dir } = request;
  const { users, pathsOf, compile } = findUsers(project, request.output, [generated]);
  if (users.length === 0) return [];
  const program = compile(generated.tree);
  const checker = program.getTypeChecker();
  const tools = new GeneratedToolFinder(checker, generated.tools, pathsOf);
  const outputs = indexOutputs(generated.tools, program, pathsOf);
  const useOf = (tool: ToolModule): ToolUse => {
    const known = found.get(tool) ?? new ToolUse();
    found.set(tool, known);
    return known;
  };
  const pathOf = (file: ts.SourceFile): string => posix.relative(posixPath(dir), file.fileName);
  const leaver = new ReadFinder(program, outputs, tools);
  for (const file of users.flatMap((path) => program.getSourceFile(path) ?? [])) {
    const path = pathOf(file);
    for (const exported of findExports(file, checker)) leaver.leave(exported);
    for (const node of findUsed(file, checker)) used.add(keyOf(node, pathOf(node.getSourceFile())));
    for (const call of findUses(file, tools, checker).calls) {
      const use = useOf(call.tool);
      use.addCall(keyOf(call.node, path), findPassed(call, checker), path);
      // Without an output schema, all tools answer with one type, whose properties lead to no tool.
      if (call.tool.definition["outputSchema"] === undefined && isKept(call.node))
        use.addRead([""], keyOf(call.node, path), [], path);
    }
    const reader = new ReadFinder(program, outputs, tools);
    reader.visit(file);
    for (const { property, node, compares } of reader.reads)
      useOf(property.tool).addRead(property.paths, keyOf(node, path), compares, path);
    for (const { property, node, reason } of reader.escapes)
      useOf(property.tool).addEscape(property.paths, keyOf(node, path), reason, path);
    findUnknown(file, tools, checker, (tool, reason) => {
      useOf(tool).addUnknown(reason, path);
    });
  }
  return leaver.escapes.map((escape) => {
    const path = pathOf(escape.node.getSourceFile());
    return { use: useOf(escape.property.tool), escape, at: keyOf(escape.node, path), path };
  });
}

/** Finds tools whose calls the code hides. */
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

interface FoundReads {
  readonly places: Set<string>;
  readonly compares: JsonValue[];
  readonly reasons: Set<string>;
}

interface FoundPaths extends FoundReads {
  readonly paths: readonly string[];
}

class ToolUse {
  readonly #calls = new Map<string, { readonly call: PassedInput; readonly at: Set<string> }>();
  readonly #reads = new Map<string, FoundPaths>();
  readonly #unknown = new Set<string>();
  readonly #files = new Set<string>();

  addCall(at: string, call: PassedInput, file: string): void {
    const key = canonicalJson(JSON.parse(JSON.stringify(call)) as JsonValue);
    const known = this.#calls.get(key) ?? { call, at: new Set() };
    known.at.add(at);
    this.#calls.set(key, known);
    this.#files.add(file);
  }

  addRead(paths: readonly string[], at: string, compares: readonly JsonValue[], file: string): void {
    const known = this.#readOf(paths);
    known.places.add(at);
    addValues(known.compares, compares);
    this.#files.add(file);
  }

  /** @param paths of a property of the object that escapes */
  addEscape(paths: readonly string[], at: string, reason: string, file: string): void {
    const known = this.#readOf(paths.map((path) => path.slice(0, path.lastIndexOf("/"))));
    known.places.add(at);
    known.reasons.add(reason);
    this.#files.add(file);
  }

  addUnknown(reason: string, file: string): void {
    this.#unknown.add(reason);
    this.#files.add(file);
  }

  finish(): ToolUses {
    return {
      calls: [...this.#calls]
        .sort(([a], [b]) => byCodeUnit(a, b))
        .map(([, { call, at }]) => ({ places: at.size, ...call })),
      reads: this.#listReads(),
      unknown: [...this.#unknown].sort(byCodeUnit),
      files: [...this.#files].sort(byCodeUnit),
    };
  }

  #readOf(paths: readonly string[]): FoundPaths {
    const unique = [...new Set(paths)];
    const key = unique.join("\n");
    const known = this.#reads.get(key) ?? {
      paths: unique,
      places: new Set(),
      compares: [],
      reasons: new Set(),
    };
    this.#reads.set(key, known);
    return known;
  }

  /**
   * The paths that are read. A property of a type that several paths share has all of them; only those count whose
   * outer property is read too.
   */
  #listReads(): readonly ReadProperty[] {
    const found = new Map<string, FoundReads>();
    const reached = this.#reachedPaths();
    for (const { paths, places, compares, reasons } of this.#reads.values()) {
      const own = paths.filter((path) => reached.has(path));
      for (const path of own.length > 0 ? own : paths) {
        const known = found.get(path) ?? { places: new Set(), compares: [], reasons: new Set() };
        for (const place of places) known.places.add(place);
        for (const reason of reasons) known.reasons.add(reason);
        addValues(known.compares, compares);
        found.set(path, known);
      }
    }
    return [...found]
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([path, { places, compares, reasons }]) => ({
        path,
        places: places.size,
        ...(compares.length > 0 && { compares: sortCanonically(compares) }),
        ...(reasons.size > 0 && { unknown: [...reasons].sort(byCodeUnit).join("; ") }),
      }));
  }

  /** The paths whose outer properties are all read. */
  #reachedPaths(): ReadonlySet<string> {
    const paths = [...this.#reads.values()].flatMap((read) => read.paths);
    const byDepth = [...new Set(paths)].sort((a, b) => a.split("/").length - b.split("/").length);
    const reached = new Set<string>();
    for (const path of byDepth) {
      const outer = outerOf(path);
      if (outer === "" || reached.has(outer)) reached.add(path);
    }
    return reached;
  }
}

/** The path of the property around a path, or of the list whose items the path is. */
function outerOf(path: string): string {
  const isItem = path.endsWith(`/${ANY_STEP}`);
  return (isItem ? path : path.slice(0, path.lastIndexOf("/"))).replace(/(?:\/\*)+$/, "");
}

function addValues(known: JsonValue[], values: readonly JsonValue[]): void {
  for (const value of values) if (!known.some((other) => isEqual(other, value))) known.push(value);
}
