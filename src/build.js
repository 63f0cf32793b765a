/**
 * Builds `dist/`: what tsc makes of `src/`, the PHP stub beside it, and then what is loaded together folded into one
 * file each.
 *
 * Sixty small modules read well and load slowly: finding and linking them is a third of the time of a `check` with
 * nothing to report, and a tenth of that of a large `diff`. So they go to one file, such as `dist/start.js`, and at each
 * module's place stands one that hands on what it exported: whoever imports it, from wherever, gets the same classes and
 * functions. What the runtime and `--version` load stays apart, since they need nothing else of it.
 */
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const src = dirname(fileURLToPath(import.meta.url));
const dist = join(src, "../dist");

/** Programs of their own, each a file with all that it needs: completion and the threads that render. */
const PROGRAMS = ["cli/completion/answer-completion.js", "emit/render-worker.js"];
const STARTED = [
  "cli/program.js",
  "cli/commands/check.js",
  "cli/commands/generate.js",
  "report/print-findings.js",
];
const COMPARED = ["cli/commands/diff.js", "pipeline/diff.js", "report/print-changes.js"];
/** An entry of its own, and what tells that a package is missing. */
const APART = ["cli/run.js", "cli/report-error.js"];
/** What it imports later counts as well: it may be all that is installed. */
const RUNTIME = ["runtime/index.js", "codegen.js", "agent/index.js", "replay/index.js", "node/index.js"];

// A module that was moved or deleted must not stay behind in the package.
rmSync(dist, { recursive: true, force: true });
compile();
for (const php of ["sources/php/stub", "sources/php/site"]) {
  cpSync(join(src, php), join(dist, php), { recursive: true });
}
for (const program of PROGRAMS) await bundle(join(dist, program));
/** The files that were made, and those at whose place they stand. */
const folds = new Set();
const stubs = new Set();
const [started, compared] = [reachFrom(STARTED), reachFrom(COMPARED)];
const apart = new Set([...reachFrom(APART), ...reachFrom(RUNTIME, { later: true })]);
const isOfCommands = (file) => !apart.has(file);
// The runtime reads schemas as well, later, and a start takes of them no more than it needs.
const isOfSchemas = (file) => dirname(file) === join(dist, "schema") && !started.includes(file);
await fold("start.js", started.filter(isOfCommands));
await fold("schema.js", compared.filter(isOfSchemas));
await fold("drift.js", compared.filter(isOfCommands));

function compile() {
  const { resolve: find } = createRequire(import.meta.url);
  const tsc = join(dirname(find("typescript-7/package.json")), "bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "-p", src], { stdio: "inherit" });
  } catch {
    // tsc has said what is wrong.
    process.exit(1);
  }
}

async function bundle(file) {
  const bundled = await rolldown({ input: file, platform: "node", external: /^[^./]/ });
  await bundled.write({ file, codeSplitting: false });
}

async function fold(name, files) {
  const made = join(dist, name);
  const folded = files.filter((file) => !folds.has(file) && !stubs.has(file) && !asksWhereItIs(file)).sort();
  const exports = await Promise.all(folded.map(exportsOf));
  const bundled = await rolldown({
    input: "entry",
    platform: "neutral",
    plugins: [foldOnly(new Set([...folded, ...stubs]), printEntry(folded, exports))],
  });
  await bundled.write({ file: made, codeSplitting: false });
  folds.add(made);
  for (const [at, file] of folded.entries()) {
    writeFileSync(file, printStub(specifierOf(dirname(file), made), at, exports[at]));
    stubs.add(file);
  }
}

/** Folded, it would be told another place. A module that asks for one of its packages finds them from there as well. */
function asksWhereItIs(file) {
  const code = readFileSync(file, "utf8");
  return /import\.meta/.test(code.replace(/createRequire\(import\.meta\.url(?: \|\| __filename)?\)/g, ""));
}

function reachFrom(entries, options) {
  return [...new Set(entries.flatMap((entry) => [...reach(join(dist, entry), options)]))];
}

/** The files that a file imports, and those they import; with what they import later where that counts. */
function reach(file, { later = false, seen = new Set() } = {}) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const code = readFileSync(file, "utf8");
  const imports = [...code.matchAll(/^(?:import|export)\b[^;"]*"(\.\.?\/[^"]+)";$/gm)];
  const dynamic = later ? [...code.matchAll(/\bimport\("(\.[^"]+)"\)/g)] : [];
  for (const [, specifier] of [...imports, ...dynamic])
    reach(join(dirname(file), specifier), { later, seen });
  return seen;
}

async function exportsOf(file) {
  return Object.keys(await import(pathToFileURL(file).href));
}

function aliasOf(at, name) {
  return `m${at}_${name}`;
}

function printEntry(files, exports) {
  return files
    .map((file, at) => {
      const names = exports[at].map((name) => `${name} as ${aliasOf(at, name)}`);
      return `export { ${names.join(", ")} } from ${JSON.stringify(file)};`;
    })
    .join("\n");
}

function printStub(target, at, exports) {
  const names = exports.map((name) => `${aliasOf(at, name)} as ${name}`);
  return `export { ${names.join(", ")} } from ${JSON.stringify(target)};\n`;
}

/** Everything but these files stays an import, written as from `dist/`; what is imported later, too. */
function foldOnly(files, entry) {
  return {
    name: "fold-only",
    resolveId(id, importer, { kind }) {
      if (id === "entry") return id;
      if (!id.startsWith(".") && !id.startsWith("/")) return { id, external: true };
      const file = resolve(importer === undefined || importer === "entry" ? dist : dirname(importer), id);
      const isLater = kind === "dynamic-import";
      if (files.has(file) && !isLater) return file;
      return { id: specifierOf(dist, file), external: "relative" };
    },
    load(id) {
      return id === "entry" ? entry : readFileSync(id, "utf8");
    },
  };
}

function specifierOf(from, file) {
  const path = relative(from, file).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
}
