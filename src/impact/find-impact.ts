import { posix } from "node:path";
import { ts } from "ts-morph";
import { isWithin } from "./syntax.js";
import { type CallSite, type Change, type ImpactSummary, keyOfTool } from "../core/change.js";
import { McpCodegenError } from "../core/errors.js";
import { byCodeUnit } from "../core/json.js";
import { INSTALL_PEER } from "../core/packages.js";
import { currentTool } from "../core/rename.js";
import { type ToolDefinitions, applyChanges, mayHitCode } from "./changes.js";
import {
  assignMismatch,
  compareDiagnostics,
  findCauses,
  findErrors,
  findMismatches,
} from "./find-mismatches.js";
import {
  type Generated,
  type OpenProject,
  type Tree,
  findUsers,
  openProjects,
  posixPath,
} from "./open-project.js";
import { type Hit, findRejected } from "./find-rejected.js";
import { type ToolCall, GeneratedToolFinder, type ToolModule, findUses } from "./tool-finder.js";
import { describeGone } from "./describe-hit.js";

interface ImpactRequest extends GeneratedCode {
  /** The configuration's folder; paths of call sites are relative to it. */
  readonly dir: string;
  /** The TypeScript configuration, absolute; undefined to search only scripts. */
  readonly tsconfig: string | undefined;
  readonly changes: readonly Change[];
  /** Scripts, which call the tools by declarations of their own. */
  readonly scripts?: (GeneratedCode & { readonly project: OpenProject }) | undefined;
}

interface GeneratedCode {
  /** The output folder, absolute. */
  readonly output: string;
  /** The generated files of the lock, and those of the servers' current tools. */
  readonly before: Generated;
  readonly after: Generated;
  /** Renders the files of the lock with other definitions of some tools; undefined removes a tool. */
  readonly render: (definitions: ToolDefinitions) => Promise<Tree>;
}

export interface FoundImpact {
  /** The changes in order; those that break calls or change types have their call sites. */
  readonly changes: readonly Change[];
  readonly summary: ImpactSummary;
}

/**
 * Finds the user's code that changes affect. The code is compiled against the old and the new generated files, and
 * only new errors are reported; then the values passed in calls are validated against the new schemas.
 *
 * @throws McpCodegenError `USAGE` for a TypeScript configuration that cannot be read, `DEPENDENCY_MISSING` for a
 * compiler older than generated code needs
 */
export async function findImpact(request: ImpactRequest): Promise<FoundImpact> {
  assertCompiler();
  const projects = request.tsconfig === undefined ? [] : openProjects(posixPath(request.tsconfig));
  const looks: Look[] = [];
  for (const project of projects) looks.push(await lookInto(project, request));
  const { scripts } = request;
  if (scripts !== undefined) looks.push(await lookInto(scripts.project, { ...request, ...scripts }));
  const sites = new Map<Change, Map<string, CallSite>>();
  for (const { change, node, says, effect } of looks.flatMap(({ hits }) => hits)) {
    const site = { ...locate(node, request.dir), says, effect };
    const ofChange = sites.get(change) ?? new Map<string, CallSite>();
    const key = JSON.stringify([site.file, site.line, site.column]);
    // Errors of the compiler come first and take precedence.
    if (!ofChange.has(key)) sites.set(change, ofChange.set(key, site));
  }
  const used = new Set(looks.flatMap(({ used: tools }) => [...tools].map(keyOfTool)));
  const changed = request.before.tools.filter((tool) => changesOf(tool, request.changes).length > 0);
  return {
    changes: request.changes.map((change) =>
      mayHitCode(change) ? { ...change, callSites: sorted(sites.get(change)?.values() ?? []) } : change,
    ),
    summary: {
      projects: projects.map(({ path }) => posix.relative(posixPath(request.dir), path)),
      files: new Set(looks.flatMap(({ files }) => files)).size,
      unused: changed
        .filter((tool) => !used.has(keyOfTool(tool)))
        .map(({ server, tool }) => ({ server, tool })),
    },
  };
}

/** ts-morph may be installed for other reasons, with an older compiler. */
function assertCompiler(): void {
  if (Number.parseFloat(ts.versionMajorMinor) >= OLDEST_COMPILER) return;
  throw new McpCodegenError(
    "DEPENDENCY_MISSING",
    `The package "ts-morph" here brings TypeScript ${ts.version}, but generated code needs ${OLDEST_COMPILER}.`,
    { hint: `Run "${INSTALL_PEER["ts-morph"]}".` },
  );
}

const OLDEST_COMPILER = 5.9;

interface Look {
  readonly files: readonly string[];
  readonly used: ReadonlySet<ToolModule>;
  readonly hits: readonly Hit[];
}

async function lookInto(project: OpenProject, request: ImpactRequest): Promise<Look> {
  const { before, after, changes } = request;
  const { users, pathsOf, compile } = findUsers(project, request.output, [before, after]);
  if (users.length === 0) return { files: [], used: new Set(), hits: [] };

  const programBefore = compile(before.tree);
  const checker = programBefore.getTypeChecker();
  const finder = new GeneratedToolFinder(checker, before.tools, pathsOf);
  const files = users.flatMap((path) => programBefore.getSourceFile(path) ?? []);
  // Checking the files first, in the compiler's own order, makes the following queries cheap.
  for (const file of files) findErrors(file.fileName, programBefore);
  const uses = files.map((file) => findUses(file, finder, checker));
  const used = new Set(uses.flatMap(({ tools }) => [...tools]));
  const suspects = new Map(
    before.tools
      .filter((tool) => used.has(tool))
      .map((tool) => [tool, changesOf(tool, changes).filter(mayHitCode)] as const)
      .filter(([, ofTool]) => ofTool.length > 0),
  );
  if (suspects.size === 0) return { files: users, used, hits: [] };

  const programAfter = compile(after.tree, programBefore);
  const byPath = new Map(
    before.tools.flatMap((tool) => pathsOf(tool.path).map((path) => [path, tool] as const)),
  );
  const allMismatches = files.flatMap((file) =>
    findMismatches(file, compareDiagnostics(file.fileName, programBefore, programAfter), {
      changes: suspects,
      finder,
      toolOfPath: (path) => byPath.get(path),
    }),
  );
  const caused = await findCauses(allMismatches, {
    before: programBefore,
    compile: async (alone) =>
      compile(await request.render(applyChanges(alone, before.tools, after.tools)), programBefore),
  });
  const mismatches = caused.flatMap((mismatch) => assignMismatch(mismatch) ?? []);
  const typesOf = (program: ts.Program, path: string): string =>
    pathsOf(path)
      .flatMap((at) => program.getSourceFile(at) ?? [])
      .map(printTypes)
      .join("");
  const parses = uses
    .flatMap((each) => each.parses)
    .filter(({ tool }) => suspects.get(tool)?.some(isGone) !== true);
  const calls = findCalls([...uses.flatMap((each) => each.calls), ...parses], suspects, {
    after: after.tools,
    all: changes,
    hasSameTypes: (from, to) => typesOf(programBefore, from.path) === typesOf(programAfter, to.path),
    checker,
  });
  const hits = joinHits(mismatches, calls).map((hit): Hit => {
    const isUnchecked = !project.checksJs && /\.[cm]?jsx?$/.test(hit.node.getSourceFile().fileName);
    return isUnchecked && hit.effect === "stops-compiling" ? { ...hit, effect: "unchecked" } : hit;
  });
  return { files: users, used, hits };
}

/** Finds hits that the compiler may not report: calls of removed tools, and values that are no longer accepted. */
function findCalls(
  calls: readonly ToolCall[],
  suspects: ReadonlyMap<ToolModule, readonly Change[]>,
  context: {
    readonly after: readonly ToolModule[];
    /** Also those of tools under their new names. */
    readonly all: readonly Change[];
    readonly hasSameTypes: (before: ToolModule, after: ToolModule) => boolean;
    readonly checker: ts.TypeChecker;
  },
): readonly CallHit[] {
  const { after, all, hasSameTypes, checker } = context;
  const modules = new Map(after.map((tool) => [keyOfTool(tool), tool]));
  const rejectedBy = (module: ToolModule, call: ToolCall, gone: Change | undefined): readonly Hit[] =>
    findRejected(call, {
      changes:
        (gone === undefined ? suspects.get(call.tool) : changesOf(module, all).filter(mayHitCode)) ?? [],
      after: module.definition,
      // Of a tool with another name, the compiler checks no value.
      hasSameTypes: gone !== undefined || hasSameTypes(call.tool, module),
      checker,
    });
  return calls.flatMap((call): readonly CallHit[] => {
    const gone = suspects.get(call.tool)?.find(isGone);
    const module = modules.get(
      keyOfTool({ ...call.tool, tool: (gone && currentTool(gone)) ?? call.tool.tool }),
    );
    const rejected = (module === undefined ? [] : rejectedBy(module, call, gone)).map((hit) => ({
      ...hit,
      call: call.node,
    }));
    if (gone === undefined) return rejected;
    const says = describeGone(call.tool.wrapper, gone);
    return [{ call: call.node, change: gone, node: call.name, says, effect: "stops-compiling" }, ...rejected];
  });
}

function isGone({ rule }: Change): boolean {
  return rule === "tool-removed" || rule === "tool-renamed";
}

function printTypes(file: ts.SourceFile): string {
  const printer = ts.createPrinter({ removeComments: true });
  return file.statements
    .filter((statement) => ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
    .map((statement) => printer.printNode(ts.EmitHint.Unspecified, statement, file))
    .join("\n");
}

interface CallHit extends Hit {
  readonly call: ts.CallExpression;
}

/**
 * Merges hits of the compiler with hits of calls. Where the compiler rejects a whole argument, the hits for its
 * values are more precise; where it rejects a part of a call, the same change is not reported twice.
 */
function joinHits(mismatches: readonly Hit[], calls: readonly CallHit[]): readonly Hit[] {
  const isSame = (hit: Hit, { call, change, effect }: CallHit): boolean =>
    hit.change === change && effect !== "stops-compiling" && isWithin(hit.node, call);
  const reported = mismatches.map((hit): Hit => {
    const callHit = calls.find((call) => isSame(hit, call) && call.call.arguments[0] === hit.node);
    return callHit === undefined ? hit : { ...hit, says: callHit.says };
  });
  return [...reported, ...calls.filter((call) => !mismatches.some((hit) => isSame(hit, call)))];
}

function changesOf({ server, tool }: ToolModule, changes: readonly Change[]): readonly Change[] {
  return changes.filter((change) => change.server === server && change.tool === tool);
}

function locate(
  node: ts.Node,
  dir: string,
): { readonly file: string; readonly line: number; readonly column: number } {
  const file = node.getSourceFile();
  const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file));
  return { file: posix.relative(posixPath(dir), file.fileName), line: line + 1, column: character + 1 };
}

function sorted(sites: Iterable<CallSite>): readonly CallSite[] {
  return [...sites].sort((a, b) => byCodeUnit(a.file, b.file) || a.line - b.line || a.column - b.column);
}
