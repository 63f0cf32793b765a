/**
 * Builds `dist/`: code and declarations by tsc, both bundled by Rollup, the script of pages for browsers, and the PHP files as
 * they are. A module that something loads by its path is its own file; the others are in `chunks/`.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

const src = dirname(fileURLToPath(import.meta.url));
const root = dirname(src);
const dist = join(root, "dist");
/** What tsc writes, at the paths of the modules. */
const compiled = mkdtempSync(join(tmpdir(), "mcp-codegen-build-"));
const code = join(compiled, "code");
const types = join(compiled, "types");

/** Loaded by `bin/`, or started as threads. */
const PROGRAMS = ["cli/run", "emit/render-worker", "serve/judge-worker", "sources/php/wasm-worker"];
/** A program in one file: a shell waits for it at each press of Tab. */
const COMPLETION = "cli/completion/answer-completion";
const PHP = ["sources/php/stub", "sources/php/site"];
/** The script of a page, for browsers. */
const PAGE = "report/page/browser";
/** What a program needs where it is deployed, without the optional packages: these modules share no chunk with the others. */
const DEPLOYED = [
  "runtime/index",
  "codegen",
  "agent/index",
  "agent/replay/index",
  "agent/modules/index",
  "runtime/cassette/index",
  "testing/index",
];
/** What commands always load together. As one chunk: loading many small files takes longer than running them. */
const TOGETHER = {
  cli: ["cli/run", "cli/program", "cli/report-error"],
  start: [
    "cli/commands/check/run",
    "pipeline/check/check",
    "report/render-report",
    "pipeline/generate/generate",
  ],
};

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const isPackage = (id) => !/^(?:\.|\/|[A-Za-z]:)/.test(id);

/** Leaves out what commands load to run: completion knows all commands and runs none. */
const WITHOUT_RUNS = {
  name: "without-runs",
  resolveDynamicImport: (_, importer) => (importer.includes(`${sep}cli${sep}commands${sep}`) ? false : null),
};

// Programs that run the last build meanwhile keep their files, so only what this build did not write is removed.
const started = Date.now();
process.on("exit", () => rmSync(compiled, { recursive: true, force: true }));
compile(code, ["--declaration", "false", "--emitDeclarationOnly", "false", "--removeComments"]);
compile(types, []);
await bundleCode();
await bundleTypes();
await bundlePage();
for (const folder of PHP) cpSync(join(src, folder), join(dist, folder), { recursive: true });
for (const name of readdirSync(dist, { recursive: true })) {
  const file = join(dist, name);
  const stat = statSync(file);
  if (stat.isFile() && stat.mtimeMs < started - 1000) rmSync(file);
}

function compile(outDir, options) {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript-7/package.json")), "bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "-p", src, "--outDir", outDir, ...options], { stdio: "inherit" });
  } catch {
    // tsc has printed what is wrong.
    process.exit(1);
  }
}

async function bundleCode() {
  const entries = new Set([...exported("default", "js"), ...PROGRAMS, ...modulesWithAddress()]);
  const bundled = await rollup({
    input: inputs(entries, code, "js"),
    external: (id) => isPackage(id) || id.endsWith(`/${COMPLETION}.js`),
    preserveEntrySignatures: "allow-extension",
    onLog: fail,
  });
  await bundled.write({
    dir: dist,
    chunkFileNames: "chunks/[name].js",
    generatedCode: "es2015",
    freeze: false,
    manualChunks: chunkOf(),
    // The default of the next major version.
    // oxlint-disable-next-line typescript/no-deprecated -- Without it, a chunk also takes what its modules import.
    onlyExplicitManualChunks: true,
    experimentalMinChunkSize: 30_000,
  });
  const completion = await rollup({
    input: join(code, `${COMPLETION}.js`),
    external: isPackage,
    plugins: [WITHOUT_RUNS],
    onLog: fail,
  });
  await completion.write({ file: join(dist, `${COMPLETION}.js`), inlineDynamicImports: true });
}

/** One file for each entry point, and a few for what several use, so that an entry point needs only its own types. */
async function bundleTypes() {
  const entries = exported("types", "d.ts");
  const bundled = await rollup({
    input: inputs(entries, types, "d.ts"),
    external: isPackage,
    plugins: [dts()],
    // Types that an entry point uses and does not export are as private as before.
    onLog: (level, log) => log.code === "PLUGIN_WARNING" || fail(level, log),
  });
  await bundled.write({
    dir: dist,
    entryFileNames: "[name].d.ts",
    chunkFileNames: ({ name }) => `types/${name.replace(/\.d$/, "")}.d.ts`,
  });
}

function fail(level, { message }) {
  if (level === "warn") throw new Error(message);
}

/** The inputs of Rollup for modules below `folder`. */
function inputs(modules, folder, extension) {
  return Object.fromEntries([...modules].map((name) => [name, join(folder, `${name}.${extension}`)]));
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

/** Names the chunk of a module that is always loaded with others; Rollup forms the other chunks. */
function chunkOf() {
  let chunks;
  let deployed;
  return (id, { getModuleInfo }) => {
    const reach = (modules, isLater) => {
      const seen = new Set();
      const visit = (file) => {
        if (seen.has(file)) return;
        seen.add(file);
        const info = getModuleInfo(file);
        for (const next of info?.importedIds ?? []) visit(next);
        if (isLater) for (const next of info?.dynamicallyImportedIds ?? []) visit(next);
      };
      for (const module of modules) visit(join(code, `${module}.js`));
      return seen;
    };
    deployed ??= reach(DEPLOYED, true);
    chunks ??= Object.entries(TOGETHER).map(([name, modules]) => [name, reach(modules, false)]);
    return deployed.has(id) ? undefined : chunks.find(([, files]) => files.has(id))?.[0];
  };
}

/** The modules that package.json exports, and those it imports, under a condition. */
function exported(condition, extension) {
  const files = JSON.stringify([manifest.exports, manifest.imports]);
  const pattern = new RegExp(
    `(?<="${condition}":"\\./dist/)[^"]+(?=\\.${extension.replace(".", "\\.")}")`,
    "g",
  );
  return new Set(files.match(pattern));
}

/** Modules that find files beside them by their own address. */
function modulesWithAddress() {
  return readdirSync(src, { recursive: true })
    .filter(
      (file) =>
        file.endsWith(".ts") && /new URL\([^)]*import\.meta\.url/.test(readFileSync(join(src, file), "utf8")),
    )
    .map((file) => file.replaceAll("\\", "/").slice(0, -".ts".length));
}
