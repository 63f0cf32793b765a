/**
 * Builds `dist/`: the declarations of every module by tsc, the code by Rolldown, the script of pages for browsers, and the PHP
 * files as they are.
 *
 * A module becomes a file at its own place when something outside loads it by its path. All others go to shared chunks:
 * what `mcp-codegen/runtime` loads is one, what `check` and `generate` always load is one, the rest of each room that commands load whole is
 * one, and Rolldown forms the others.
 */
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const src = dirname(fileURLToPath(import.meta.url));
const root = dirname(src);
const dist = join(root, "dist");

/** A program of its own in one file: a shell waits for it at each press of Tab. */
const COMPLETION = "cli/completion/answer-completion";
/** Loaded by `bin/`, or started as threads. */
const PROGRAMS = ["cli/run", "emit/render-worker", "serve/judge-worker", "sources/php/wasm-worker"];
const PHP = ["sources/php/stub", "sources/php/site"];
/** The script of a page, for browsers. */
const PAGE = "page/browser";
/** What programs import at run time, and what bundlers take apart. */
const DOORS = ["runtime/index", "codegen", "agent/index", "replay/index"];
/** The same for programs that have a disk. */
const DISK_DOORS = ["node/index", "cassette/index", "mock/index"];
/** What `--help` and an error load: few files, and no optional package. */
const FIRST = ["cli/run", "cli/program", "cli/report-error"];
/** What `check --offline` and `generate` load: one file, since loading many small ones takes longer than running them. */
const START = [
  ...["cli/commands/check/run", "pipeline/check", "report/print-findings"],
  ...["cli/commands/generate/run", "pipeline/generate", "report/print-generate"],
];
/** Rooms of small modules that commands load whole beside it. */
const ROOMS = ["contract", "schema", "drift", "report"];

/** Leaves out what commands load to run: completion knows all commands and runs none. */
const WITHOUT_RUNS = {
  name: "without-runs",
  resolveId: (id, importer, { kind }) =>
    kind === "dynamic-import" && importer?.includes(`${sep}cli${sep}commands${sep}`)
      ? "\0nothing"
      : undefined,
  load: (id) => (id === "\0nothing" ? "export {};" : undefined),
};

// Programs that run the last build meanwhile keep their files, so only what this build did not write is removed.
const started = Date.now();
printDeclarations();
await bundle();
await bundlePage();
for (const folder of PHP) cpSync(join(src, folder), join(dist, folder), { recursive: true });
for (const name of readdirSync(dist, { recursive: true })) {
  const file = join(dist, name);
  const stat = statSync(file);
  if (stat.isFile() && stat.mtimeMs < started - 1000) rmSync(file);
}

function printDeclarations() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript-7/package.json")), "bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "-p", src], { stdio: "inherit" });
  } catch {
    // tsc has printed what is wrong.
    process.exit(1);
  }
}

async function bundle() {
  const options = { platform: "neutral", resolve: { extensionAlias: { ".js": [".ts"] } } };
  const isPackage = (id) => !id.startsWith(".") && !isAbsolute(id);
  const entries = new Set([...exportedModules(), ...PROGRAMS, ...modulesWithAddress()]);
  const bundled = await rolldown({
    ...options,
    input: Object.fromEntries([...entries].map((entry) => [entry, join(src, `${entry}.ts`)])),
    external: (id) => isPackage(id) || id.endsWith(`/${basename(COMPLETION)}.js`),
    preserveEntrySignatures: "allow-extension",
    // A room is one chunk, so an import() of one of its modules splits nothing.
    checks: { ineffectiveDynamicImport: false },
  });
  await bundled.write({
    dir: dist,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: chunkOf(), debugName: "room" }],
    },
  });
  const completion = await rolldown({
    ...options,
    input: join(src, `${COMPLETION}.ts`),
    external: isPackage,
    plugins: [WITHOUT_RUNS],
  });
  await completion.write({ file: join(dist, `${COMPLETION}.js`), codeSplitting: false });
}

/** The script and the style that a page contains. */
async function bundlePage() {
  const script = await rolldown({
    input: join(src, PAGE, "main.ts"),
    platform: "browser",
    resolve: { extensionAlias: { ".js": [".ts"] } },
  });
  await script.write({
    file: join(dist, PAGE, "page.js"),
    format: "iife",
    minify: true,
    codeSplitting: false,
  });
  const style = readFileSync(join(src, PAGE, "page.css"), "utf8");
  const short = style
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1");
  writeFileSync(join(dist, PAGE, "page.css"), short.trim());
}

/** Names the chunk of a module; null leaves it to Rolldown. */
function chunkOf() {
  let core;
  let deployed;
  let onDisk;
  let first;
  let start;
  return (id, modules) => {
    const reach = (file, isLater, seen = new Set()) => {
      const info = seen.has(file) ? null : modules.getModuleInfo(file);
      seen.add(file);
      const imported = [
        ...(info?.importedIds ?? []),
        ...(isLater ? (info?.dynamicallyImportedIds ?? []) : []),
      ];
      for (const next of imported) reach(next, isLater, seen);
      return seen;
    };
    const door = (entry) => join(src, `${entry}.ts`);
    core ??= reach(door(DOORS[0]), false);
    deployed ??= new Set(DOORS.flatMap((entry) => [...reach(door(entry), true)]));
    onDisk ??= new Set(DISK_DOORS.flatMap((entry) => [...reach(door(entry), true)]));
    first ??= new Set(FIRST.flatMap((entry) => [...reach(door(entry), false)]));
    start ??= new Set(START.flatMap((entry) => [...reach(door(entry), false)]));
    if (core.has(id)) return "runtime";
    // Programs that import a door must not load what only commands need.
    if (deployed.has(id) || first.has(id)) return null;
    // Modules that the commands and programs with a disk share. Apart, they would be a dozen files.
    if (onDisk.has(id)) return start.has(id) ? "disk" : null;
    if (start.has(id)) return "start";
    const room = relative(src, id).split(sep)[0];
    return ROOMS.includes(room) ? room : null;
  };
}

/** The modules that package.json exports, and those it imports. */
function exportedModules() {
  const { exports, imports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return JSON.stringify([exports, imports]).match(/(?<="default":"\.\/dist\/)[^"]+(?=\.js")/g);
}

/** Modules that find files beside them by their own address. */
function modulesWithAddress() {
  return readdirSync(src, { recursive: true })
    .filter((file) => {
      if (!file.endsWith(".ts")) return false;
      const code = readFileSync(join(src, file), "utf8");
      return /import\.meta/.test(
        code.replace(/createRequire\(import\.meta\.url(?: \|\| __filename)?\)/g, ""),
      );
    })
    .map((file) => file.replaceAll("\\", "/").slice(0, -".ts".length));
}
