import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { circlesOf, measureFiles, repeatedBodies, repeatedNames } from "../benchmarks/measure-house.js";
import { expectFresh } from "./docs/expect-fresh.js";

const src = fileURLToPath(new URL("../src/", import.meta.url));

/**
 * The rooms that a room may import. A room is a folder or a file directly in `src`, or a folder in it that has rules of its own.
 * Anything not listed is forbidden, so a new arrow is a decision made here.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  // The interpreter of JSON Schema decides which defaults fit.
  schema: ["core", "schema/validation"],
  "schema/validation": ["core"],
  client: ["core"],
  "client/listing": ["core", "client"],
  "core/words": [],
  "schema/infer": ["core", "schema/validation", "core/words"],
  "impact/mentions": ["core"],
  // A mock answers as a server that generated code is connected to.
  testing: [
    "testing/contract",
    ...["core", "schema", "schema/validation", "core/words", "files", "runtime", "agent", "runtime/cassette"],
    // The errors of JSON-RPC.
    "client",
  ],
  // What `check` and `pull` do, for the tests of a server.
  "testing/contract": ["core", "config", "client", "files", "pipeline", "project", "report", "runtime"],
  files: ["core"],
  // Names of rules that a configuration may use.
  config: ["core", "files", "drift"],
  sources: ["core", "config", "files", "client", "client/listing"],
  drift: ["core", "schema", "schema/validation", "core/words"],
  emit: ["core", "config", "schema"],
  impact: ["core", "schema", "schema/validation"],
  // The results that the pipeline and a replay return are what reports print.
  report: ["core", "drift", "pipeline", "agent/replay", "core/words", "config"],
  // Cassettes are what `learn` learns from.
  pipeline: [
    // Files that agents read name tools too.
    "impact/mentions",
    "runtime/cassette",
    "schema/infer",
    "core",
    "config",
    "client/listing",
    "sources",
    "emit",
    "drift",
    "files",
    "impact",
    "project",
    // Only to judge recorded calls and to type-check scripts.
    "project/tools",
  ],
  "index.ts": ["core", "config", "files", "schema", "drift", "emit", "pipeline", "project"],
  "codegen.ts": ["core", "schema/validation", "runtime"],
  runtime: ["core", "client", "schema/validation"],
  // The schema room only with `import()`, to read the schema of a live tool.
  // Loaded by the runtime as "#cassette", only for a program that records or replays.
  "runtime/cassette": ["core", "files", "schema/infer", "runtime", "client"],
  agent: ["core", "runtime", "schema/validation", "client/listing", "client", "schema", "core/words"],
  // Scripts are checked and run in threads.
  "code-mode": ["core", "runtime", "agent", "schema", "client"],
  "agent/replay": ["core", "runtime", "agent", "schema/validation", "core/words"],
  "agent/modules": ["core", "files", "runtime", "agent", "agent/replay"],
  // What reports print, as data for a browser: with explanations of rules.
  "report/page": ["core", "drift", "report", "pipeline", "core/words"],
  // What is opened once for a run: the lock, output schemas, scripts and the policy of a project.
  project: ["core", "config", "client/listing", "files", "emit", "core/words"],
  // The callable tools of a project: its configuration and its lock, for the command line and for serving.
  "project/tools": [
    ...["core", "config", "files", "project", "emit", "client/listing", "sources", "runtime", "agent"],
    ...["agent/replay", "agent/modules"],
    // Recorded calls are judged by the tools that the lock defines, and scripts type-checked against them.
    ...["runtime/cassette", "schema", "schema/validation", "code-mode"],
  ],
  // A served tool is compared with the lock before it is called.
  serve: [
    "core",
    "config",
    "sources",
    "drift",
    "runtime",
    "agent",
    "code-mode",
    "project",
    "project/tools",
    "client",
  ],
  // When to read a server again. What is read, and how, is for the pipeline.
  "sources/watch": ["core", "config", "client/listing", "client", "sources"],
  "testing/example-server": [],
  cli: [
    "core",
    "config",
    "client/listing",
    "schema",
    "schema/validation",
    "drift",
    "report",
    "files",
    "pipeline",
    "runtime",
    "agent",
    "agent/replay",
    "project",
    "project/tools",
    "serve",
    "sources/watch",
    "testing/example-server",
    "testing",
    "report/page",
    // `doctor` asks git what it does with the lock and the code.
    "sources",
    // For `login`, `logout` and `whoami`, which need an endpoint and its authorization server, and no session.
    "client",
  ],
};

/** The packages and Node modules that a room may import; a trailing `*` matches any ending. */
const DISK = ["node:fs", "node:fs/promises"];
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  core: ["node:buffer", "node:crypto"],
  client: ["@modelcontextprotocol/client", "cross-spawn", "node:child_process", "node:stream", "node:util"],
  config: [
    "node:net",
    ...DISK,
    "node:path",
    "node:url",
    "node:util",
    "node:os",
    "jiti",
    // Only to locate an error in an invalid configuration.
    "prettier*",
  ],
  "client/listing": ["node:path"],
  sources: [
    ...DISK,
    "node:buffer",
    "node:path",
    "node:url",
    "node:os",
    "node:child_process",
    "node:module",
    "node:worker_threads",
    "p-limit",
    "php-parser",
  ],
  drift: ["refa", "node:module"],
  emit: ["prettier", "oxfmt", "node:worker_threads", "node:url", "node:path", "node:crypto"],
  files: [
    ...DISK,
    "node:buffer",
    "node:path",
    "node:module",
    "node:url",
    // Threads of one process have one process ID.
    "node:worker_threads",
    "jsonc-parser",
    "tinyglobby",
    "tinyglobby",
  ],
  impact: ["ts-morph", ...DISK, "node:module", "node:path"],
  // Types only: they are erased.
  report: ["picocolors", "sarif"],
  runtime: ["cockatiel", "url-template"],
  "runtime/cassette": [...DISK, "node:buffer", "node:path"],
  // Loaded by generated code, which imports it too.
  "codegen.ts": ["zod"],
  // Loaded only by a program that asks for a Zod schema.
  agent: ["zod"],
  // Loaded only for a tool whose output schema is in generated code alone.
  testing: ["zod", "url-template"],
  "testing/contract": ["node:fs", "node:path", "node:process"],
  "code-mode": [
    ...["node:module", "node:worker_threads", "typescript", "ts-morph", "p-limit"],
    ...["quickjs-emscripten-core", "@jitl/quickjs-wasmfile-release-sync"],
  ],
  "agent/modules": [...DISK, "node:path", "node:url", "tinyglobby", "chokidar"],
  "testing/example-server": ["@modelcontextprotocol/server*", "node:stream", "node:process"],
  serve: [
    "@modelcontextprotocol/server*",
    "@modelcontextprotocol/node",
    "node:http",
    "node:net",
    "node:path",
    "node:stream",
    "node:worker_threads",
  ],
  pipeline: ["node:buffer", "node:path", "gpt-tokenizer/*"],
  project: ["node:path"],
  "project/tools": ["node:buffer", "node:path"],
  // Besides what the page bundles.
  "report/page": ["node:crypto", "preact*", "diff/*"],
  "sources/watch": ["chokidar", "node:path"],
  cli: ["*"],
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isDynamic: boolean;
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((entry) => {
    const path = join(folder, entry);
    if (statSync(path).isDirectory()) return sourceFiles(path);
    return /\.tsx?$/.test(path) ? [path] : [];
  });
}

/** Returns every import of a file, including `import()`, re-exports and types. */
function importsOf(from: string, text: string): readonly Import[] {
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    if (
      (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) &&
      node.moduleSpecifier !== undefined
    ) {
      if (ts.isStringLiteral(node.moduleSpecifier))
        found.push({ from, to: node.moduleSpecifier.text, isDynamic: false });
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      if (argument !== undefined && ts.isStringLiteral(argument))
        found.push({ from, to: argument.text, isDynamic: true });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(from, text, ts.ScriptTarget.Latest, true));
  return found;
}

/** Returns the room of a file: the folder with rules of its own that it is in, or else the folder directly in `src`. */
function roomOf(path: string): string {
  const parts = relative(src, path).split(sep);
  const inner = parts.slice(0, 2).join("/");
  return inner in ARROWS ? inner : (parts[0] ?? "");
}

function violations(imports: readonly Import[]): readonly string[] {
  return imports.flatMap(({ from, to }) => {
    const room = roomOf(from);
    const where = `${relative(src, from)} imports "${to}"`;
    if (to === "#stdio") return room === "client" || ARROWS[room]?.includes("client") === true ? [] : [where];
    // By its condition, so that a browser gets the module that has no disk.
    if (to === "#cassette") return room === "runtime" ? [] : [where];
    if (to.startsWith(".")) {
      const target = roomOf(join(dirname(from), to.replace(/\.js$/, ".ts")));
      return target === room || ARROWS[room]?.includes(target) === true ? [] : [where];
    }
    const allowed = (PACKAGES[room] ?? []).some((name) =>
      name.endsWith("*") ? to.startsWith(name.slice(0, -1)) : to === name,
    );
    return allowed ? [] : [where];
  });
}

const allImports = sourceFiles(src).flatMap((path) => importsOf(path, readFileSync(path, "utf8")));

describe("the house", () => {
  it("has only the rooms in the rules", () => {
    const rooms = readdirSync(src).filter((entry) => !["build.js", "tsconfig.json"].includes(entry));
    expect(rooms.filter((room) => !(room in ARROWS))).toEqual([]);
  });

  it("has entry points with conditions that Node and bundlers know", () => {
    const { exports, imports } = JSON.parse(readFileSync(join(src, "../package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, unknown>>;
      readonly imports: Readonly<Record<string, unknown>>;
    };
    const conditionsOf = (target: unknown): readonly string[] =>
      typeof target === "object" && target !== null
        ? Object.entries(target).flatMap(([name, inner]) => [name, ...conditionsOf(inner)])
        : [];
    const entries = [...Object.values(exports), ...Object.values(imports)];
    expect([...new Set(entries.flatMap(conditionsOf))].sort()).toEqual(["default", "node", "types"]);
  });

  it("has imports that point one way", () => {
    expect(violations(allImports)).toEqual([]);
  });

  it("allows no arrow that no import needs", () => {
    const needed = new Set(allImports.map(({ from, to }) => `${roomOf(from)} ${targetOf(from, to) ?? ""}`));
    const unused = Object.entries(ARROWS).flatMap(([room, targets]) =>
      targets.filter((target) => !needed.has(`${room} ${target}`)).map((target) => `${room} ▶ ${target}`),
    );
    expect(unused).toEqual([]);
  });

  it("is drawn in docs/architecture.md", () =>
    expectFresh("architecture.md", "arrows", drawArrows(allImports)));

  it("has no cycle of value imports", () => {
    expect(findCycles(allImports)).toEqual([]);
    const planted = [...allImports, { from: join(src, "core/json.ts"), to: "./json.js", isDynamic: false }];
    expect(findCycles(planted)).toHaveLength(1);
  });

  it.each([
    ["core/json.ts", "../drift/diff-tools.js"],
    ["emit/emit.ts", "../drift/diff-tools.js"],
    ["runtime/tool.ts", "../config/config.js"],
    ["config/config.ts", "../agent/index.js"],
    ["pipeline/reports.ts", "../agent/index.js"],
    ["project/generated-names.ts", "../agent/index.js"],
    ["runtime/tool.ts", "zod"],
    ["runtime/tool.ts", "node:fs"],
    ["runtime/tool.ts", "../agent/define-static-tool.js"],
    ["drift/diff-tools.ts", "node:fs"],
    ["schema/print/print-zod.ts", "#stdio"],
    ["agent/index.ts", "#cassette"],
  ])("notices %s importing %s", (from, to) => {
    expect(violations(importsOf(join(src, from), `import ${JSON.stringify(to)};`))).toHaveLength(1);
    expect(violations(importsOf(join(src, from), `await import(${JSON.stringify(to)});`))).toHaveLength(1);
  });

  it.each([
    "cli/run.ts",
    "cli/program.ts",
    "pipeline/pull/pull.ts",
    "pipeline/check/check.ts",
    "index.ts",
    "runtime/index.ts",
    "codegen.ts",
    "agent/index.ts",
    "code-mode/index.ts",
    "agent/replay/index.ts",
    "agent/modules/index.ts",
    "serve/index.ts",
  ])("loads no heavy package with %s, except by import() when needed", (entry) => {
    const heavy =
      /^(zod|prettier|jiti|php-parser|@modelcontextprotocol\/|ts-morph|typescript|quickjs|listr2|@clack|tinyglobby|cockatiel|gpt-tokenizer|jsonc-parser|chokidar)/;
    const reached = reach(join(src, entry));
    const early = allImports.filter(
      ({ from, to, isDynamic }) => reached.has(from) && heavy.test(to) && !isDynamic && isLoaded(from, to),
    );
    expect(early.map(({ from, to }) => `${relative(src, from)} imports "${to}"`)).toEqual([]);
  });

  it.each([
    "runtime/index.ts",
    "codegen.ts",
    "agent/index.ts",
    "agent/replay/index.ts",
    "schema/validation/unknown-keys.ts",
  ])("keeps Node and every package out of what the runtime loads with %s", (entry) => {
    const reached = reach(join(src, entry));
    const packages = allImports.filter(
      ({ from, to, isDynamic }) =>
        reached.has(from) && !isDynamic && !to.startsWith(".") && isLoaded(from, to),
    );
    expect(packages.map(({ from, to }) => `${relative(src, from)} imports "${to}"`)).toEqual([]);
  });

  it.each([
    ["runtime/index.ts", ["core", "runtime"]],
    ["codegen.ts", ["codegen.ts", "core", "runtime", "schema/validation"]],
  ])("loads no schema reader with %s, except by import()", (entry, rooms) => {
    expect([...new Set([...reach(join(src, entry))].map(roomOf))].sort()).toEqual(rooms);
  });
});

describe("the size of the house", () => {
  const measured = measureFiles(src);
  const [first] = measured;
  if (first === undefined) throw new Error("There are no source files.");

  it("has no circle of files, types included", () => {
    expect(circlesOf(measured)).toEqual([]);
    const [importer] = measured.filter(({ imports }) => imports.includes(first.name));
    const planted = { ...first, imports: [...first.imports, importer?.name ?? ""] };
    expect(circlesOf([planted, ...measured.slice(1)])).toHaveLength(1);
  });

  it("has one meaning for each exported name", () => {
    // The schemas of generated code, which the runtime knows by their standard part alone; and the same functions for platforms
    // with and without processes and a disk.
    const twins = ["Schema", "callWithCassette", "learnAnswer", "openStdio"];
    expect([...repeatedNames(measured).keys()].sort()).toEqual(twins);
    const planted = { ...first, name: "planted.ts" };
    expect(repeatedNames([...measured, planted]).size).toBeGreaterThan(twins.length);
  });

  it("has no function body twice", () => {
    expect([...repeatedBodies(measured).values()]).toEqual([]);
    const withFunction = measured.find(({ functions }) => functions.some(({ body }) => body.length > 44));
    expect(
      repeatedBodies([...measured, { ...(withFunction ?? first), name: "planted.ts" }]).size,
    ).toBeGreaterThan(0);
  });

  it("has rooms of 800 to 12,000 lines", () => {
    const lines = new Map<string, number>();
    for (const file of measured) {
      const room = file.name.split("/")[0] ?? "";
      if (!room.endsWith(".ts")) lines.set(room, (lines.get(room) ?? 0) + file.lines);
    }
    // The words and examples of drift are data of 2,500 lines.
    const misfits = [...lines].filter(
      ([room, count]) => count < 800 || count > (room === "drift" ? 12_700 : 12_000),
    );
    expect(misfits).toEqual([]);
    expect(lines.size).toBe(18);
  });
});

describe("a policy", () => {
  const DECIDE = "core/decide.ts";
  /** The files that call a tool: each asks `decide`, or names here what has asked it. */
  const CALLERS: Readonly<Record<string, string>> = {
    "cli/commands/call/run.ts": "asks",
    "agent/registry/restrict-view.ts": "asks",
    "agent/toolset/execute-tool.ts": "asks",
    "agent/toolset/session.ts": "asks",
    "agent/adapters/model-tools.ts": "its view is restricted, a toolset or a session",
    "code-mode/run-script.ts": "called by runTool, which asks",
    "serve/drift-guard.ts": "called by a toolset, which asks",
    "serve/offer-directly.ts": "answers of a mock, which calls no server",
  };
  /** The files that find, list or describe tools. */
  const FINDERS = ["cli/open-tools.ts", "agent/toolset/toolset-catalog.ts"];
  const ROOMS = /^(?:cli|serve|code-mode|agent\/(?:adapters|toolset)\/|agent\/registry\/restrict-view)/;

  const files = sourceFiles(src).map((path) => ({ path, name: relative(src, path).split(sep).join("/") }));
  const asks = (name: string): boolean =>
    allImports.some(
      ({ from, to }) =>
        from === join(src, name) && join(dirname(from), to.replace(/\.js$/, ".ts")) === join(src, DECIDE),
    );

  it("is asked by every file that calls, finds or lists tools", () => {
    const callers = files.filter(
      ({ path, name }) =>
        ROOMS.test(name) && /^(?!\s*(?:\*|\/)).*\.(?:call|safe)\(/m.test(readFileSync(path, "utf8")),
    );
    expect(callers.map(({ name }) => name).sort()).toEqual(Object.keys(CALLERS).sort());
    const asking = Object.entries(CALLERS).flatMap(([name, who]) => (who === "asks" ? [name] : []));
    expect([...asking, ...FINDERS].filter((name) => !asks(name))).toEqual([]);
  });

  it("is interpreted in one place", () => {
    // This shows the policy.
    const shown = ["agent/toolset/introspect-tools.ts"];
    const readers = files.filter(({ path }) => /\blayersOf\b/.test(readFileSync(path, "utf8")));
    expect(readers.map(({ name }) => name).sort()).toEqual([DECIDE, "core/policy.ts", ...shown].sort());
  });
});

describe("below the command line", () => {
  const IMPURE =
    /\b(Date\.now\(|new Date\(\)|Math\.random\(|randomUUID\(|getRandomValues\(|console\.|process\.(env|argv|exit|cwd|stdout|stderr)\b)/;
  /** The runtime's clock and trace ids; child processes, which need variables such as PATH to start. */
  const ALLOWED = new Set([
    "runtime/events.ts",
    // The default folders of tool modules.
    "agent/modules/discover-tools.ts",
    // Ids of sessions, which must not be guessable.
    "serve/ask-client.ts",
    "client/stdio.ts",
    "sources/git/git.ts",
    "sources/php/php-process.ts",
  ]);

  it("there is no clock, randomness, environment or console", () => {
    const found = sourceFiles(src).flatMap((path) =>
      roomOf(path) === "cli" || ALLOWED.has(relative(src, path))
        ? []
        : readFileSync(path, "utf8")
            .split("\n")
            .flatMap((line, index) =>
              IMPURE.test(line) ? [`${relative(src, path)}:${index + 1} ${line.trim()}`] : [],
            ),
    );
    expect(found).toEqual([]);
  });

  const TIMER =
    /\b(setTimeout|setInterval|performance\.now|hrtime|Atomics\.wait|AbortSignal\.timeout|timers\/promises)\b/;
  /** The files with a time limit, and what they wait for. No verdict depends on them. */
  const WAITING: Readonly<Record<string, string>> = {
    client: "time-outs of servers",
    "code-mode/quickjs-worker.ts": "a script that does not end",
    "agent/registry": "time-outs of servers, and pauses between their messages",
    "runtime/client": "time-outs of calls, and pauses between attempts",
    "serve/ask-client.ts": "a client that does not answer a question",
    "agent/modules/discover-tools.ts": "the pause until a folder is quiet",
    "testing/answer-source.ts": "the latency that a mock was asked for",
    "files/file-lock.ts": "another process that writes the same file",
    "sources/watch": "the next poll of a server, its next try, and quiet",
  };

  it("only waiting for others has a time limit; other work counts its steps", () => {
    const timed = sourceFiles(src)
      .filter((path) => roomOf(path) !== "cli" && TIMER.test(withoutComments(readFileSync(path, "utf8"))))
      .map((path) => relative(src, path).split(sep).join("/"));
    const isWaiting = (name: string): boolean =>
      Object.keys(WAITING).some((place) => name === place || name.startsWith(`${place}/`));
    expect(timed.filter((name) => !isWaiting(name))).toEqual([]);
    const unused = Object.keys(WAITING).filter(
      (place) => !timed.some((name) => name === place || name.startsWith(`${place}/`)),
    );
    expect(unused).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
}

/** The room of what a file imports; undefined for a package. */
function targetOf(from: string, to: string): string | undefined {
  if (to === "#stdio") return "client";
  if (to === "#cassette") return "runtime/cassette";
  return to.startsWith(".") ? roomOf(join(dirname(from), to.replace(/\.js$/, ".ts"))) : undefined;
}

/** Draws each room with those it imports, the first ones first, without those that are reached through others. */
function drawArrows(imports: readonly Import[]): string {
  const arrows = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const room = roomOf(from);
    // The runtime loads cassettes by a condition, and cassettes import the runtime.
    const target = to.startsWith("#") ? room : (targetOf(from, to) ?? room);
    if (!room.endsWith(".ts") && target !== room)
      arrows.set(room, (arrows.get(room) ?? new Set()).add(target));
  }
  const below = new Map<string, ReadonlySet<string>>();
  const reachBelow = (room: string, path: readonly string[]): ReadonlySet<string> => {
    if (path.includes(room)) throw new Error(`The rooms import in a circle: ${[...path, room].join(" ▶ ")}.`);
    const reached =
      below.get(room) ??
      new Set(
        [...(arrows.get(room) ?? [])].flatMap((target) => [target, ...reachBelow(target, [...path, room])]),
      );
    below.set(room, reached);
    return reached;
  };
  const rooms = [...arrows.keys()].sort(
    (a, b) => reachBelow(b, []).size - reachBelow(a, []).size || (a < b ? -1 : 1),
  );
  const width = Math.max(...rooms.map((room) => room.length));
  const lines = rooms.map((room) => {
    const targets = [...(arrows.get(room) ?? [])];
    const direct = targets.filter((target) => !targets.some((other) => reachBelow(other, []).has(target)));
    return `${room.padEnd(width)} ▶ ${direct.sort().join(", ")}`;
  });
  return ["```text", ...lines, "```"].join("\n");
}

/** Returns the files that importing `entry` loads, without `import()`. */
function reach(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const { from, to, isDynamic } of allImports) {
    if (from !== entry || isDynamic || !to.startsWith(".") || isTypeOnly(from, to)) continue;
    reach(join(dirname(from), to.replace(/\.js$/, ".ts")), seen);
  }
  return seen;
}

/** Returns cycles of imports, each as its files in the order of imports. */
function findCycles(imports: readonly Import[]): readonly string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to, isDynamic } of imports) {
    if (isDynamic || !to.startsWith(".") || isTypeOnly(from, to)) continue;
    targets.set(from, [...(targets.get(from) ?? []), join(dirname(from), to.replace(/\.js$/, ".ts"))]);
  }
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0)
      cycles.push(
        path
          .slice(start)
          .map((each) => relative(src, each))
          .join(" → "),
      );
    if (start >= 0 || done.has(file)) return;
    for (const next of targets.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return cycles;
}

/** Whether an import loads a package that a program with generated code would not load anyway. */
function isLoaded(from: string, to: string): boolean {
  return !isTypeOnly(from, to) && !(roomOf(from) === "codegen.ts" && to === "zod");
}

function isTypeOnly(from: string, to: string): boolean {
  const escaped = to.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  const imports =
    readFileSync(from, "utf8").match(new RegExp(`^(import|export)[^;]*?from "${escaped}"`, "gm")) ?? [];
  return imports.length > 0 && imports.every((line) => /^(import|export) type\b/.test(line));
}
