/**
 * Builds `dist/`: the declarations by tsc, bundled for each entry point, the code by Rolldown, the script of pages for browsers,
 * and the PHP files as they are.
 *
 * A module becomes a file at its own place when something outside loads it by its path. All others go to shared chunks:
 * what `mcp-codegen/runtime` loads is one, what `check` and `generate` always load is one, the rest of each room that commands load whole is
 * one, and Rolldown forms the others.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

const src = dirname(fileURLToPath(import.meta.url));
const root = dirname(src);
const dist = join(root, "dist");

/** A program of its own in one file: a shell waits for it at each press of Tab. */
const COMPLETION = "cli/completion/answer-completion";
/** Loaded by `bin/`, or started as threads. */
const PROGRAMS = [
  ...["cli/run", "emit/render-worker", "serve/judge-worker", "sources/php/wasm-worker"],
  ...["code-mode/check-worker", "code-mode/quickjs-worker"],
];
const PHP = ["sources/php/stub", "sources/php/site"];
/** The script of a page, for browsers. */
const PAGE = "report/page/browser";
/** What programs import at run time, and what bundlers take apart. */
const DOORS = ["runtime/index", "codegen", "agent/index", "agent/replay/index"];
/** The same for programs that have a disk. */
const DISK_DOORS = ["agent/modules/index", "code-mode/index", "runtime/cassette/index", "testing/index"];
/** What `--help` and an error load: few files, and no optional package. */
const FIRST = ["cli/run", "cli/program", "cli/report-error"];
/** What `check --offline` and `generate` load: one file, since loading many small ones takes longer than running them. */
const START = [
  ...[
    "cli/commands/check/run",
    "pipeline/check/check",
    "pipeline/check/read-agent-files",
    "report/render-report",
  ],
  ...["cli/commands/code/generate", "pipeline/generate/generate", "report/print-generate"],
];
/** What `check` loads for accepted findings: a part of the large room of drift. */
const WAIVERS = ["pipeline/check/waive-findings"];
/** Rooms of small modules that commands load whole beside it. */
const ROOMS = ["core", "schema", "drift", "report"];

/** Small packages that most commands load. In `dist`, since finding their files takes longer than running them. */
const INLINED = ["commander", "picocolors", "valibot"];
const isExternal = (id) => !id.startsWith(".") && !isAbsolute(id) && !INLINED.includes(id);

/** Lets the CommonJS of these packages load modules of Node. Only commands that are programs of their own need `child_process`. */
const REQUIRE_BUILTIN = {
  name: "require-builtin",
  transform: (text, id) =>
    INLINED.some((name) => id.includes(`${sep}node_modules${sep}${name}${sep}`))
      ? text
          .replace("const childProcess = require('node:child_process');", "")
          .replace(/\brequire\((["'])(node:\w+)\1\)/g, 'globalThis.process.getBuiltinModule("$2")')
      : null,
};

/** Leaves out what commands load to run: completion knows all commands and runs none. */
const WITHOUT_RUNS = {
  name: "without-runs",
  resolveId: (id, importer, { kind }) =>
    kind === "dynamic-import" && importer?.includes(`${sep}cli${sep}commands${sep}`)
      ? "\0nothing"
      : undefined,
  load: (id) => (id === "\0nothing" ? "export {};" : undefined),
};

/**
 * Rolldown gives a module of a shared chunk that is imported later a file that only exports from there (rolldown#9729). Imports the chunk
 * instead, and takes the names from it.
 */
const WITHOUT_FACADES = {
  name: "without-facades",
  generateBundle: (_, bundle) => {
    const facades = new Map();
    for (const [file, { type, isEntry, code }] of Object.entries(bundle)) {
      const [, names, chunk] =
        (type === "chunk" && !isEntry && /^export \{ (.+) \} from "\.\/(.+)";\s*$/.exec(code)) || [];
      if (chunk === undefined) continue;
      const taken = names.replace(/([^\s,]+) as ([^\s,]+)/g, "$2: all.$1");
      facades.set(basename(file), { chunk, taken });
      Reflect.deleteProperty(bundle, file);
    }
    for (const file of Object.values(bundle)) {
      file.code = file.code?.replace(/\bimport\("([^"]*\/)([^"/]+)"\)/g, (whole, folder, name) => {
        const facade = facades.get(name);
        return facade === undefined
          ? whole
          : `import("${folder}${facade.chunk}").then((all) => ({ ${facade.taken} }))`;
      });
    }
  },
};

/** Moves references to libraries before the imports: TypeScript ignores them elsewhere. */
const REFERENCES_FIRST = {
  name: "references-first",
  renderChunk: (text) => {
    const references = text.match(/^\/\/\/ <reference .*\n/gm) ?? [];
    return references.length === 0
      ? null
      : references.join("") + text.replace(/^\/\/\/ <reference .*\n/gm, "");
  },
};

// Programs that run the last build meanwhile keep their files, so only what this build did not write is removed.
const started = Date.now();
await printDeclarations();
await bundle();
await bundlePage();
writeNotices();
for (const folder of PHP) cpSync(join(src, folder), join(dist, folder), { recursive: true });
for (const name of readdirSync(dist, { recursive: true })) {
  const file = join(dist, name);
  const stat = statSync(file);
  if (stat.isFile() && stat.mtimeMs < started - 1000) rmSync(file);
}

/** Prints one file for each entry point, and a few for what several use, so that an entry point needs only its own types. */
async function printDeclarations() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript-7/package.json")), "bin/tsc");
  const folder = mkdtempSync(join(tmpdir(), "mcp-codegen-types-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  try {
    execFileSync(process.execPath, [tsc, "-p", src, "--outDir", folder], { stdio: "inherit" });
  } catch {
    // tsc has printed what is wrong.
    process.exit(1);
  }
  const bundled = await rollup({
    input: Object.fromEntries(
      exportedModules("types", "d.ts").map((name) => [name, join(folder, `${name}.d.ts`)]),
    ),
    external: (id) => !id.startsWith(".") && !isAbsolute(id),
    plugins: [dts(), REFERENCES_FIRST],
    onLog: (level, log) => {
      // Types that an entry point uses and does not export are private on purpose.
      if (level === "warn" && log.code !== "PLUGIN_WARNING") throw new Error(log.message);
    },
  });
  await bundled.write({
    dir: dist,
    entryFileNames: "[name].d.ts",
    chunkFileNames: ({ name }) => `types/${name.replace(/\.d$/, "")}.d.ts`,
  });
}

async function bundle() {
  const options = {
    platform: "neutral",
    resolve: { extensionAlias: { ".js": [".ts"] }, mainFields: ["module", "main"] },
    plugins: [REQUIRE_BUILTIN],
  };
  const entries = new Set([...exportedModules("default", "js"), ...PROGRAMS, ...modulesWithAddress()]);
  const bundled = await rolldown({
    ...options,
    plugins: [...options.plugins, WITHOUT_FACADES],
    input: Object.fromEntries([...entries].map((entry) => [entry, join(src, `${entry}.ts`)])),
    external: (id) => isExternal(id) || id.endsWith(`/${basename(COMPLETION)}.js`),
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
    external: isExternal,
    plugins: [...options.plugins, WITHOUT_RUNS],
  });
  await completion.write({ file: join(dist, `${COMPLETION}.js`), codeSplitting: false });
}

/** Their licenses ask for it. */
function writeNotices() {
  const notices = INLINED.map((name) => {
    const folder = join(root, "node_modules", name);
    const license = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    return `${name}\n\n${readFileSync(join(folder, license), "utf8").trim()}\n`;
  });
  writeFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), notices.join(`\n${"-".repeat(80)}\n\n`));
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
  let entry;
  let waivers;
  return (id, modules) => {
    const reach = (file, isLater, seen = new Set()) => {
      const info = seen.has(file) ? null : modules.getModuleInfo(file);
      seen.add(file);
      const imported = [
        ...(info?.importedIds ?? []),
        // No program deploys what tests load of the commands.
        ...(isLater && !file.startsWith(join(src, "testing", "contract"))
          ? (info?.dynamicallyImportedIds ?? [])
          : []),
      ];
      for (const next of imported) reach(next, isLater, seen);
      return seen;
    };
    const door = (name) => {
      const file = join(src, `${name}.ts`);
      if (modules.getModuleInfo(file) === null) throw new Error(`There is no module "${name}".`);
      return file;
    };
    core ??= reach(door(DOORS[0]), false);
    deployed ??= new Set(DOORS.flatMap((entry) => [...reach(door(entry), true)]));
    // The contract checks of "testing" import a whole command later.
    onDisk ??= new Set(DISK_DOORS.flatMap((entry) => [...reach(door(entry), entry !== "testing/index")]));
    first ??= new Set(FIRST.flatMap((entry) => [...reach(door(entry), false)]));
    start ??= new Set(START.flatMap((entry) => [...reach(door(entry), false)]));
    entry ??= reach(door(FIRST[0]), false);
    if (core.has(id)) return "runtime";
    // Small modules that commands and programs share. Apart, they would be a dozen files.
    if (deployed.has(id)) return start.has(id) || first.has(id) ? "shared" : null;
    if (entry.has(id)) return null;
    if (first.has(id)) return "program";
    if (onDisk.has(id)) return start.has(id) ? "disk" : null;
    if (start.has(id)) return "start";
    waivers ??= new Set(WAIVERS.flatMap((entry) => [...reach(door(entry), false)]));
    if (waivers.has(id)) return "waivers";
    const room = relative(src, id).split(sep)[0];
    return ROOMS.includes(room) ? room : null;
  };
}

/** The modules that package.json exports under a condition, and those it imports. */
function exportedModules(condition, extension) {
  const { exports, imports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const pattern = new RegExp(
    `(?<="${condition}":"\\./dist/)[^"]+(?=\\.${extension.replace(".", "\\.")}")`,
    "g",
  );
  return [...new Set(JSON.stringify([exports, imports]).match(pattern))];
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
