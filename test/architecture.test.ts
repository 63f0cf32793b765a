import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const src = fileURLToPath(new URL("../src/", import.meta.url));

/**
 * Which rooms a room may import. A room is a folder directly below `src`, or a file there. Anything not listed is
 * forbidden, so a new arrow is a decision made here.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  schema: ["contract"],
  validation: ["contract", "schema"],
  transport: ["contract"],
  listing: ["contract", "transport"],
  vocabulary: [],
  files: ["contract"],
  // Names that a configuration may use: those of the rules, and the focus modes and roles of a policy.
  config: ["contract", "files", "drift", "agent", "vocabulary"],
  sources: ["contract", "config", "files", "transport", "listing"],
  drift: ["contract", "schema", "validation", "vocabulary"],
  emit: ["contract", "config", "schema", "validation"],
  impact: ["contract", "schema", "validation"],
  // The results that the pipeline and a replay return are what reports print.
  report: ["contract", "drift", "pipeline", "replay", "vocabulary"],
  pipeline: ["contract", "config", "listing", "sources", "emit", "drift", "files", "impact"],
  "index.ts": ["contract", "config", "files", "schema", "drift", "emit", "pipeline"],
  "codegen.ts": ["contract", "validation"],
  runtime: ["contract", "transport", "listing", "validation"],
  // The schema room only where a live tool's schema is read, with `import()`.
  agent: ["contract", "runtime", "validation", "listing", "transport", "schema", "vocabulary"],
  replay: ["contract", "runtime", "agent", "validation", "transport", "vocabulary"],
  node: ["contract", "files", "runtime", "agent", "replay"],
  // The callable tools of a project: its configuration and its lock, for the command line and for serving.
  project: ["contract", "config", "files", "emit", "sources", "runtime", "agent", "replay", "node"],
  // A served tool is compared with the lock before it is called.
  serve: ["contract", "config", "listing", "sources", "drift", "runtime", "agent", "project", "transport"],
  "example-server": [],
  cli: [
    "contract",
    "config",
    "listing",
    "schema",
    "validation",
    "drift",
    "report",
    "files",
    "impact",
    "pipeline",
    "runtime",
    "agent",
    "replay",
    "project",
    "serve",
    "example-server",
    "vocabulary",
  ],
};

/** Which packages and Node modules a room may import; a trailing `*` stands for any ending. */
const DISK = ["node:fs", "node:fs/promises"];
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  contract: ["node:buffer", "node:crypto"],
  transport: [
    "@modelcontextprotocol/client",
    "cross-spawn",
    "node:child_process",
    "node:stream",
    "node:util",
  ],
  config: [
    "node:module",
    "node:net",
    ...DISK,
    "node:path",
    "node:url",
    "node:util",
    "node:os",
    "valibot",
    "lilconfig",
    "jiti",
    "picomatch",
    // Only for the place of a wrong key, in a configuration that is refused.
    "prettier*",
  ],
  listing: [],
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
  schema: ["json-schema-to-typescript"],
  drift: ["ajv*", "refa", "node:module"],
  emit: ["prettier", "oxfmt", "node:worker_threads", "node:url", "node:path", "node:crypto"],
  files: [...DISK, "node:buffer", "node:path", "node:module", "node:url", "jsonc-parser"],
  impact: ["ts-morph", ...DISK, "node:module", "node:path", "node:vm"],
  // Types only: they are erased.
  report: ["picocolors", "sarif"],
  runtime: ["cockatiel"],
  node: [...DISK, "node:path", "node:url", "tinyglobby"],
  "example-server": ["@modelcontextprotocol/server*", "node:stream", "node:process"],
  serve: [
    "@modelcontextprotocol/server*",
    "@modelcontextprotocol/node",
    "node:http",
    "node:net",
    "node:path",
    "node:stream",
  ],
  pipeline: ["node:buffer", "node:path", "gpt-tokenizer/*"],
  project: ["node:buffer", "node:path"],
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
    return path.endsWith(".ts") ? [path] : [];
  });
}

/** Every import of a file, `import()` and re-exports among them; types too, since an arrow is an arrow. */
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

function roomOf(path: string): string {
  return relative(src, path).split(sep)[0] ?? "";
}

function violations(imports: readonly Import[]): readonly string[] {
  return imports.flatMap(({ from, to }) => {
    const room = roomOf(from);
    const where = `${relative(src, from)} imports "${to}"`;
    if (to === "#stdio")
      return room === "transport" || ARROWS[room]?.includes("transport") === true ? [] : [where];
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
  it("has only the rooms that the rules name", () => {
    const rooms = readdirSync(src).filter((entry) => !["build.js", "tsconfig.json"].includes(entry));
    expect(rooms.filter((room) => !(room in ARROWS))).toEqual([]);
  });

  it("has imports that point one way", () => {
    expect(violations(allImports)).toEqual([]);
  });

  it("has no cycle of value imports", () => {
    expect(findCycles(allImports)).toEqual([]);
    const planted = [
      ...allImports,
      { from: join(src, "contract/json.ts"), to: "./canonical-json.js", isDynamic: false },
    ];
    expect(findCycles(planted)).toHaveLength(1);
  });

  it.each([
    ["contract/json.ts", "../drift/diff-tools.js"],
    ["emit/emit.ts", "../drift/diff-tools.js"],
    ["runtime/tool.ts", "../config/config.js"],
    ["runtime/tool.ts", "zod"],
    ["runtime/tool.ts", "node:fs"],
    ["runtime/tool.ts", "../agent/define-static-tool.js"],
    ["drift/diff-tools.ts", "node:fs"],
    ["schema/print-zod.ts", "#stdio"],
  ])("notices %s importing %s", (from, to) => {
    expect(violations(importsOf(join(src, from), `import ${JSON.stringify(to)};`))).toHaveLength(1);
    expect(violations(importsOf(join(src, from), `await import(${JSON.stringify(to)});`))).toHaveLength(1);
  });

  it.each([
    "cli/run.ts",
    "cli/program.ts",
    "pipeline/pull.ts",
    "pipeline/check.ts",
    "index.ts",
    "runtime/index.ts",
    "codegen.ts",
    "agent/index.ts",
    "replay/index.ts",
    "node/index.ts",
    "serve/index.ts",
  ])("loads no heavy package with %s: those wait for import() at the point of need", (entry) => {
    const heavy =
      /^(zod|prettier|json-schema-to-typescript|jiti|p-limit|php-parser|@modelcontextprotocol\/|ts-morph|listr2|@clack|ajv|tinyglobby|cockatiel|gpt-tokenizer|jsonc-parser)/;
    const reached = reach(join(src, entry));
    const early = allImports.filter(
      ({ from, to, isDynamic }) => reached.has(from) && heavy.test(to) && !isDynamic && !isTypeOnly(from, to),
    );
    expect(early.map(({ from, to }) => `${relative(src, from)} imports "${to}"`)).toEqual([]);
  });

  it.each([
    "runtime/index.ts",
    "codegen.ts",
    "agent/index.ts",
    "replay/index.ts",
    "validation/fill-defaults.ts",
  ])("keeps Node and every package out of what the runtime loads with %s", (entry) => {
    const reached = reach(join(src, entry));
    const packages = allImports.filter(
      ({ from, to, isDynamic }) =>
        reached.has(from) && !isDynamic && !to.startsWith(".") && !isTypeOnly(from, to),
    );
    expect(packages.map(({ from, to }) => `${relative(src, from)} imports "${to}"`)).toEqual([]);
  });

  it("keeps what reads schemas out of what the runtime loads at once", () => {
    const rooms = [...reach(join(src, "runtime/index.ts"))].map(roomOf);
    expect([...new Set(rooms)].sort()).toEqual(["contract", "runtime", "validation"]);
  });
});

describe("a policy", () => {
  const DECIDE = "agent/policy/decide.ts";
  /** Whoever calls a tool for somebody asks the one that decides, or says here who has asked. */
  const CALLERS: Readonly<Record<string, string>> = {
    "cli/commands/call.ts": "asks",
    "agent/policy/restrict-tools.ts": "asks",
    "agent/toolset/execute-tool.ts": "asks",
    "agent/session/session-view.ts": "asks",
    "agent/adapters/model-tools.ts":
      "what its source hands out, which restrictRegistry, a toolset or a session are",
    "serve/drift-guard.ts": "stands before the tools that a toolset calls",
  };
  /** Whoever finds, lists or describes tools for somebody. */
  const FINDERS = ["cli/open-tools.ts", "agent/toolset/find-tools.ts", "agent/toolset/toolset-catalog.ts"];
  const ROOMS = /^(?:cli|serve|agent\/(?:adapters|http|policy|session|toolset))\//;

  const files = sourceFiles(src).map((path) => ({ path, name: relative(src, path).split(sep).join("/") }));
  const asks = (name: string): boolean =>
    allImports.some(
      ({ from, to }) =>
        from === join(src, name) && join(dirname(from), to.replace(/\.js$/, ".ts")) === join(src, DECIDE),
    );

  it("is asked by whoever calls a tool for somebody", () => {
    const callers = files.filter(
      ({ path, name }) =>
        ROOMS.test(name) && /^(?!\s*(?:\*|\/)).*\.(?:call|safe)\(/m.test(readFileSync(path, "utf8")),
    );
    expect(callers.map(({ name }) => name).sort()).toEqual(Object.keys(CALLERS).sort());
    const asking = Object.entries(CALLERS).flatMap(([name, who]) => (who === "asks" ? [name] : []));
    expect([...asking, ...FINDERS].filter((name) => !asks(name))).toEqual([]);
  });

  it("is judged in one place", () => {
    // Others show what the policy is, or see whether it is another one.
    const shown = ["agent/toolset/introspect-tools.ts", "agent/session/catalog.ts"];
    const readers = files.filter(({ path }) => /(?:\.|[{,] )layers\b/.test(readFileSync(path, "utf8")));
    expect(readers.map(({ name }) => name).sort()).toEqual(
      [DECIDE, "agent/policy/policy.ts", ...shown].sort(),
    );
  });
});

describe("below the command line", () => {
  const IMPURE =
    /\b(Date\.now\(|new Date\(\)|Math\.random\(|randomUUID\(|getRandomValues\(|console\.|process\.(env|argv|exit|cwd|stdout|stderr)\b)/;
  /** The runtime's clock and its trace ids; a child process needs the few variables, such as PATH, without which no command starts. */
  const ALLOWED = new Set([
    "runtime/clock.ts",
    "runtime/trace-id.ts",
    // Where tools are looked for unless the caller says.
    "node/discovery/roots.ts",
    // Ids of sessions, which nobody may guess.
    "serve/random.ts",
    "transport/stdio.ts",
    "sources/git/run-git.ts",
    "sources/php/php-process.ts",
    "sources/php/run-program.ts",
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
  /** What waits, and for what: servers, other programs, threads and the disk. None of it decides a verdict. */
  const WAITING: Readonly<Record<string, string>> = {
    transport: "time-outs of servers",
    "agent/registry": "time-outs of servers, and pauses between their messages",
    "runtime/client": "time-outs of calls, and pauses between attempts",
    "agent/run-static-tool.ts": "the time-out of a tool of the program's own",
    "listing/limit-list.ts": "the time-out of a server's list",
    "node/discovery/folder-watch.ts": "the pause until a folder is quiet",
    "sources/php/php-process.ts": "the time-out of PHP",
    "sources/php/php-in-wasm.ts": "the time-out of PHP",
    "emit/render-files.ts": "the silence of a thread, whose work is then done here",
  };

  it("nothing is bounded by time but what waits for others: the rest counts its steps", () => {
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

/** The files that importing `entry` loads, `import()` left out. */
function reach(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const { from, to, isDynamic } of allImports) {
    if (from !== entry || isDynamic || !to.startsWith(".") || isTypeOnly(from, to)) continue;
    reach(join(dirname(from), to.replace(/\.js$/, ".ts")), seen);
  }
  return seen;
}

/** Files that import each other at load, each cycle as its files in the order of imports. */
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

function isTypeOnly(from: string, to: string): boolean {
  const escaped = to.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  const imports =
    readFileSync(from, "utf8").match(new RegExp(`^(import|export)[^;]*?from "${escaped}"`, "gm")) ?? [];
  return imports.length > 0 && imports.every((line) => /^(import|export) type\b/.test(line));
}
