/**
 * Builds `dist/`: the declarations by tsc, bundled for each entry point, the code by Rolldown, the script of pages for browsers,
 * and the PHP files as they are.
 */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
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
  ...["cli/run", "serve/judge-worker"],
  ...["code-mode/check-worker", "code-mode/quickjs-worker"],
];
const PHP_ROOM = "sources/php";
const LOAD = /^require_once __DIR__ \. '\/(.+)';$/m;
/** Started or loaded by their names. */
const PHP = ["collect", "core/boot", "core/new-site", "core/no-database", "trace/trace"].map(
  (name) => `${name}.php`,
);
/** The script of a page, for browsers. */
const PAGE = "report/page/browser";
/** What programs import. The first are for browsers too, and bundlers take them apart. */
const RUNTIME = ["runtime/index", "codegen"];
const AGENT = ["agent/index", "agent/replay/index"];
const MODULES = ["agent/modules/index"];
const DISK = ["code-mode/index", "runtime/cassette/index"];
/** What `--help` and an error load. */
const FIRST = ["cli/program", "cli/report-error"];
/** What `check --offline` and `generate` load; the last for a configuration with a policy. */
const START = ["cli/commands/check/run", "cli/commands/code/generate", "core/policy"];
/** What both load for a lock that they do not know. */
const JUDGING = ["pipeline/check/waive-findings"];
/** What `list` and `search` load for tools that are locked, and indexed before. */
const TOOLS = ["cli/commands/tools/list", "cli/commands/tools/search"];
/** What searches an index, in `search` and for agents. */
const SEARCH = ["agent/search/create-search-index"];
/** What opens locked tools: for `describe`, `call`, and an index that `search` does not have yet. */
const CALLS = [
  ...["tools/describe", "tools/index-tools", "call/run"].map((name) => `cli/commands/${name}`),
  "schema/print/print-signature",
];
const FORMATS = ["report/formats"];
/** What compares contracts, and what prints them. */
const CONTRACT = ["drift", "serve/judge-tool", "emit", "index"];

/**
 * The chunks, each with all that its modules or folders import. Loading a file takes as long as 50 KB more in a file that is
 * loaded anyway, so a chunk contains what most of its users load together.
 *
 * A module belongs to the first chunk that can contain it, so chunks import only earlier ones. `later` adds what is
 * loaded by `import()`. `within` leaves out what these modules do not import. The rest is one more chunk. Modules that import
 * a package are one for each package, since nothing may load a package for something else, except where a chunk
 * `isAlone`.
 */
const CHUNKS = [
  { name: "example-server", of: ["testing/example-server"], isAlone: true },
  { name: "core", of: RUNTIME, within: [...FIRST, ...START, ...JUDGING, ...TOOLS] },
  { name: "runtime", of: RUNTIME },
  { name: "shared", of: [...RUNTIME, ...AGENT], later: true, within: [...FIRST, ...START, ...JUDGING] },
  { name: "shared", of: AGENT, within: [...CONTRACT, ...MODULES] },
  { name: "shared", of: [...TOOLS, ...SEARCH], within: AGENT },
  { name: "disk", of: [...MODULES, ...DISK], later: true, within: START },
  { name: "modules", of: MODULES },
  { name: "client", of: RUNTIME, later: true },
  { name: "client", of: AGENT, within: CALLS },
  { name: "search-index", of: SEARCH },
  { name: "schema", of: [...AGENT, ...DISK], later: true, within: [...CONTRACT, ...CALLS] },
  { name: "schema", of: ["testing/index"], within: [...CONTRACT, ...CALLS] },
  { name: "agent", of: AGENT },
  { name: "agent-later", of: AGENT, later: true },
  { name: "program", of: FIRST },
  { name: "start", of: [...START, ...TOOLS] },
  { name: "judging", of: JUDGING },
  { name: "cassette", of: ["runtime/cassette/index"], later: true },
  // Apart, since a bundler follows a worker's address: programs that record calls would need QuickJS.
  { name: "code-mode", of: ["code-mode/index"], later: true },
  { name: "testing", of: ["testing/index"] },
  { name: "calls", of: CALLS },
  { name: "contract", of: [...CONTRACT, ...FORMATS] },
  {
    name: "servers",
    of: ["client", "config", "files", "sources", "serve/index", "project/tools/live-tools"],
  },
];

/** Small packages that most commands load. In `dist`, since finding their files takes longer than running them. */
const COMMON = ["commander", "picocolors", "cockatiel", "p-limit"];
/** Packages for one function each. In `dist`, in a chunk with what they depend on, so that a user installs none of them. */
const RARE = ["diff", "log-update"];
const INLINED = [...COMMON, ...RARE];
const PACKAGE = /(?<=.*\/node_modules\/)(?:@[^/]+\/)?[^/]+/;
const packageOf = (id) => PACKAGE.exec(id.replaceAll(sep, "/"))?.[0];
const isExternal = (id, importer = "") =>
  !id.startsWith(".") &&
  !isAbsolute(id) &&
  (id.startsWith("node:") || (!INLINED.includes(id) && packageOf(importer) === undefined));
/** The packages with code in `dist`. */
const inlined = new Set();

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
 * instead, and takes the names from it. Within the chunk, nothing is loaded later, and esbuild fails for a file that imports itself.
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
      if (file.code === undefined) continue;
      file.code = file.code.replace(/\bimport\("([^"]*\/)([^"/]+)"\)/g, (whole, folder, target) => {
        const facade = facades.get(target);
        if (facade === undefined) return whole;
        if (basename(file.fileName) === basename(facade.chunk))
          throw new Error(`${file.fileName} has what it loads by import(): import it as usual.`);
        return `import("${folder}${facade.chunk}").then((all) => ({ ${facade.taken} }))`;
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
for (const name of PHP) {
  const file = join(dist, PHP_ROOM, name);
  mkdirSync(dirname(file), { recursive: true });
  const source = join(src, PHP_ROOM, name);
  if (LOAD.test(readFileSync(source, "utf8"))) writeFileSync(file, `<?php\n${bundlePhp(source)}`);
  else copyFileSync(source, file);
}
for (const name of readdirSync(dist, { recursive: true })) {
  const file = join(dist, name);
  const stat = statSync(file);
  if (stat.isFile() && stat.mtimeMs < started - 1000) rmSync(file);
}

/** Prints one file for each entry point, one for what programs use of several, and one for the rest. */
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
  let runtime;
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
    manualChunks: (id, { getModuleInfo }) => {
      const reach = (file, seen) => {
        if (seen.has(file)) return seen;
        seen.add(file);
        for (const next of getModuleInfo(file)?.importedIds ?? []) reach(next, seen);
        return seen;
      };
      if (getModuleInfo(id).isEntry) return undefined;
      runtime ??= new Set(
        [...RUNTIME, ...AGENT].flatMap((name) => [...reach(join(folder, `${name}.d.ts`), new Set())]),
      );
      return runtime.has(id) ? "runtime" : "build";
    },
    chunkFileNames: "types/[name].d.ts",
  });
}

async function bundle() {
  const options = {
    platform: "neutral",
    resolve: { extensionAlias: { ".js": [".ts"] }, mainFields: ["module", "main"] },
    plugins: [REQUIRE_BUILTIN],
  };
  const entries = [...exportedModules("default", "js"), ...PROGRAMS];
  const bundled = await rolldown({
    ...options,
    plugins: [...options.plugins, WITHOUT_FACADES],
    input: Object.fromEntries(entries.map((entry) => [entry, join(src, `${entry}.ts`)])),
    external: (id, importer) => isExternal(id, importer) || id.endsWith(`/${basename(COMPLETION)}.js`),
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
      groups: [{ name: chunkOf(), debugName: "chunk" }],
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

/** Returns a PHP file with the files that it loads at first in it, each in blocks of its namespaces. */
function bundlePhp(file) {
  const code = readFileSync(file, "utf8").replace(/^<\?php\s*/, "");
  if (/^namespace [^;]*\{/m.test(code)) return code;
  const [declaration, name = ""] = /^namespace (.+);\n/m.exec(code) ?? [""];
  return code
    .replace(declaration, "")
    .split(LOAD)
    .map((part, at) => {
      if (at % 2 === 1) return bundlePhp(join(dirname(file), part));
      return part.trim() === "" ? "" : `namespace ${name} {\n${part.trim()}\n}\n`;
    })
    .join("");
}

/** Their licenses ask for it. */
function writeNotices() {
  const notices = [...inlined].sort().map((name) => {
    const folder = join(root, "node_modules", name);
    const license = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    return `${name}\n\n${readFileSync(join(folder, license), "utf8").trim()}\n`;
  });
  writeFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), notices.join(`\n${"-".repeat(80)}\n\n`));
}

/** The script and the style that a page contains, and what prints its first view, in one file. */
async function bundlePage() {
  const compile = async (file, platform, format) => {
    const bundled = await rolldown({
      input: join(src, PAGE, file),
      platform,
      resolve: { extensionAlias: { ".js": [".tsx", ".ts"] } },
      plugins: [{ name: "packages", load: (id) => void (packageOf(id) && inlined.add(packageOf(id))) }],
    });
    const { output } = await bundled.generate({ format, minify: true, codeSplitting: false });
    return output[0].code;
  };
  const script = await compile("main.tsx", "browser", "iife");
  const style = readFileSync(join(src, PAGE, "page.css"), "utf8")
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1");
  const assets = Object.entries({ script, style: style.trim() });
  const exported = assets.map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};\n`);
  writeFileSync(join(dist, "page.js"), [...exported, await compile("to-html.tsx", "node", "esm")].join(""));
}

/** Names the chunk of a module; null leaves it to the entry that imports it. */
function chunkOf() {
  const packages = new Map();
  let chunks;
  let threads;
  return (id, modules) => {
    const filesOf = (name) => {
      const file = join(src, `${name}.ts`);
      if (existsSync(file)) return [file];
      return readdirSync(join(src, name), { recursive: true })
        .map((inner) => join(src, name, inner))
        .filter((inner) => modules.getModuleInfo(inner) !== null);
    };
    const reach = (names, isLater = false) => {
      const seen = new Set();
      const visit = (file) => {
        const info = seen.has(file) ? null : modules.getModuleInfo(file);
        seen.add(file);
        info?.importedIds.forEach(visit);
        if (isLater) info?.dynamicallyImportedIds.forEach(visit);
      };
      names.flatMap(filesOf).forEach(visit);
      return seen;
    };
    const packagesOf = (file) => {
      if (packages.has(file)) return packages.get(file);
      const found = new Set();
      packages.set(file, found);
      for (const next of modules.getModuleInfo(file)?.importedIds ?? []) {
        if (isAbsolute(next)) for (const name of packagesOf(next)) found.add(name);
        else if (!/^(?:node:|\0)/.test(next)) found.add(/^(?:@[^/]+\/)?[^/]+/.exec(next)?.[0]);
      }
      return found;
    };
    const info = modules.getModuleInfo(id);
    if (info.isEntry && info.importers.length === 0) return null;
    const name = packageOf(id);
    if (name !== undefined) inlined.add(name);
    if (name !== undefined && RARE.includes(userOf(id, modules))) return "terminal";
    chunks ??= CHUNKS.map(({ of, later, within, ...chunk }) => {
      const bounds = within && reach(within);
      return { ...chunk, files: new Set([...reach(of, later)].filter((file) => bounds?.has(file) ?? true)) };
    });
    const loaded = [...packagesOf(id)].sort().join("-");
    const chunk = chunks.find(({ files, isAlone }) => files.has(id) && (loaded === "" || isAlone));
    if (chunk !== undefined) return chunk.name;
    if (loaded !== "") return loaded.replaceAll("@modelcontextprotocol/", "mcp-");
    threads ??= reach(PROGRAMS);
    return threads.has(id) ? null : "commands";
  };
}

/** The package that our own code imports, for a module of this package or of one that it depends on. */
function userOf(id, modules) {
  const seen = new Set([id]);
  for (const file of seen) {
    const info = modules.getModuleInfo(file);
    const importers = [...(info?.importers ?? []), ...(info?.dynamicImporters ?? [])];
    if (importers.some((importer) => packageOf(importer) === undefined)) return packageOf(file);
    for (const importer of importers) seen.add(importer);
  }
  return packageOf(id);
}

/** The modules that package.json exports, and for code also those it imports. */
function exportedModules(condition, extension) {
  const { exports, imports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const pattern = new RegExp(
    `(?<="${condition}":"\\./dist/)[^"]+(?=\\.${extension.replace(".", "\\.")}")`,
    "g",
  );
  const named = condition === "types" ? exports : [exports, imports];
  return [...new Set(JSON.stringify(named).match(pattern))];
}
