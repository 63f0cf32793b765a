/**
 * Builds `dist/`: what tsc makes of `src/`, the PHP stub beside it, and then the start-up path folded into one module.
 *
 * Sixty small modules read well and load slowly: finding and linking them is a third of the time of a `check` with
 * nothing to report. So what `check` and `generate` always load goes to `dist/start.js`, and at each module's place
 * stands one that hands on what it exported: whoever imports it, from wherever, gets the same classes and functions.
 * What the runtime, the workers and `--version` load stays apart, since they need nothing else of it. What completes
 * command lines is a file of its own, with all that it needs.
 */
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const src = dirname(fileURLToPath(import.meta.url));
const dist = join(src, "../dist");

const STARTED = [
  "cli/program.js",
  "cli/commands/check.js",
  "cli/commands/generate.js",
  "report/print-findings.js",
];
/** Entries of their own, and what tells that a package is missing. What the runtime imports later counts as well: it may be all that is installed. */
const APART = [
  "cli/run.js",
  "cli/report-error.js",
  "emit/render-worker.js",
  "drift/witness/witness-worker.js",
];
const RUNTIME = ["runtime/index.js", "node/index.js"];

compile();
cpSync(join(src, "sources/php/stub"), join(dist, "sources/php/stub"), { recursive: true });
await bundleCompletion();
await fold();

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

/** What a key press waits for, in one file: it shares nothing with what else runs. */
async function bundleCompletion() {
  const file = join(dist, "cli/completion/answer-completion.js");
  const bundle = await rolldown({ input: file, platform: "node", external: /^[^./]/ });
  await bundle.write({ file, codeSplitting: false });
}

async function fold() {
  const apart = new Set([
    ...APART.flatMap((entry) => [...reach(join(dist, entry))]),
    ...RUNTIME.flatMap((entry) => [...reach(join(dist, entry), { later: true })]),
  ]);
  const reached = new Set(STARTED.flatMap((entry) => [...reach(join(dist, entry))]));
  const folded = [...reached].filter((file) => !apart.has(file)).sort();
  const exports = await Promise.all(folded.map(exportsOf));
  const bundle = await rolldown({
    input: "start",
    platform: "node",
    plugins: [foldOnly(new Set(folded), printEntry(folded, exports))],
  });
  await bundle.write({ file: join(dist, "start.js"), codeSplitting: false });
  for (const [at, file] of folded.entries()) writeFileSync(file, printStub(file, at, exports[at]));
}

/** The files that a file imports, and those they import; with what they import later where that counts. */
function reach(file, { later = false, seen = new Set() } = {}) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const code = readFileSync(file, "utf8");
  const imports = [...code.matchAll(/^(?:import|export)\b[^;"]*"(\.[^"]+)";$/gm)];
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

function printStub(file, at, exports) {
  const names = exports.map((name) => `${aliasOf(at, name)} as ${name}`);
  return `export { ${names.join(", ")} } from ${JSON.stringify(specifierOf(dirname(file), join(dist, "start.js")))};\n`;
}

/** Everything but the folded files stays an import, written as from `dist/start.js`; what is imported later, too. */
function foldOnly(folded, entry) {
  return {
    name: "fold-only",
    resolveId(id, importer, { kind }) {
      if (id === "start") return id;
      if (!id.startsWith(".") && !id.startsWith("/")) return { id, external: true };
      const file = resolve(importer === undefined || importer === "start" ? dist : dirname(importer), id);
      const isLater = kind === "dynamic-import";
      if (folded.has(file) && !isLater) return file;
      return { id: specifierOf(dist, file), external: "relative" };
    },
    load(id) {
      if (id === "start") return entry;
      const code = readFileSync(id, "utf8");
      // It would mean another place. A module that asks for one of its packages finds them from there as well.
      if (/import\.meta/.test(code.replaceAll("createRequire(import.meta.url)", "")))
        throw new Error(`${relative(dist, id)} asks where it is, and so cannot be folded.`);
      return code;
    },
  };
}

function specifierOf(from, file) {
  const path = relative(from, file).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
}
