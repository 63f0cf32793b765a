/** Loads the library from a file, `-e`, CommonJS, a thread, and bundles of Rolldown and esbuild. */
import { mkdtemp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, runProgram } from "./packed.js";

/** Compares two tools, prints a schema, and renders the files of a lock. */
const PROGRAM = `
const tool = (type) => ({ name: "get", inputSchema: { type: "object", properties: { n: { type } } } });
const [change] = diffTools([tool("number")], [tool("integer")]);
const zod = printZodModule({ type: "string" }, { name: "Name" });
const lock = { lockfileVersion: 1, servers: { shop: {
  contract: "1.0.0", listing: { clientCapabilities: {}, pages: 1 },
  identity: { serverInfo: {}, protocolVersion: "2025-11-25", capabilities: {} },
  tools: { get: { digest: "sha256-0", definition: tool("number") } },
} } };
emit(lock, { servers: {} }).then((files) => {
  const module = files.find(({ path }) => path === "shop/get.ts");
  const isRendered = module.text.includes("n?: number | undefined;");
  console.log(JSON.stringify([change.class, change.witness, zod.text.includes("z.string()"), isRendered]));
});
`;
const ANSWER = '["breaking",{"n":1.5},true,true]\n';
const NAMES = "{ diffTools, emit, printZodModule }";
const IMPORT = `import ${NAMES} from "mcp-codegen";\n`;
const REQUIRE = `const ${NAMES} = require("mcp-codegen");\n`;

/** The banner that esbuild's documentation recommends for ESM bundles with CommonJS. */
const REQUIRE_IN_ESM = {
  js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-codegen-hosts-"));
  await mkdir(join(folder, "node_modules"));
  await symlink(ROOT, join(folder, "node_modules/mcp-codegen"));
  for (const name of ["prettier", "zod"])
    await symlink(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  await writeFile(join(folder, "program.mjs"), IMPORT + PROGRAM);
  await writeFile(join(folder, "program.cjs"), REQUIRE + PROGRAM);
  await writeFile(
    join(folder, "thread.mjs"),
    `import { Worker } from "node:worker_threads";\nnew Worker("./program.mjs");`,
  );
  const options = { input: join(folder, "program.mjs"), platform: "node", logLevel: "silent" } as const;
  const bundle = await rolldown(options);
  await bundle.write({ dir: join(folder, "esm"), entryFileNames: "bundle.mjs" });
  // Prettier is the largest part, and the same in both formats.
  const small = await rolldown({ ...options, external: ["prettier"] });
  await small.write({ dir: join(folder, "cjs"), format: "cjs", entryFileNames: "bundle.cjs" });
  const bundled = { bundle: true, platform: "node", logLevel: "silent", absWorkingDir: folder } as const;
  const entryPoints = ["program.mjs"];
  await build({
    ...bundled,
    entryPoints,
    format: "esm",
    banner: REQUIRE_IN_ESM,
    outfile: "esbuild/bundle.mjs",
  });
  // Prettier's entry fails without `import.meta.url`.
  const external = ["prettier"];
  await build({ ...bundled, entryPoints, external, format: "cjs", outfile: "esbuild/bundle.cjs" });
  await build({
    ...bundled,
    entryPoints,
    format: "esm",
    banner: REQUIRE_IN_ESM,
    splitting: true,
    outdir: "esbuild/split",
    outExtension: { ".js": ".mjs" },
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each<[where: string, args: readonly string[]]>([
  ["a file", ["program.mjs"]],
  ["node -e", ["--input-type=module", "-e", IMPORT + PROGRAM]],
  ["CommonJS", ["program.cjs"]],
  ["node -e as CommonJS", ["-e", REQUIRE + PROGRAM]],
  ["a thread", ["thread.mjs"]],
  ["a bundle", ["esm/bundle.mjs"]],
  ["a CommonJS bundle", ["cjs/bundle.cjs"]],
  ["a bundle of esbuild", ["esbuild/bundle.mjs"]],
  ["a split bundle of esbuild", ["esbuild/split/program.mjs"]],
  ["a CommonJS bundle of esbuild", ["esbuild/bundle.cjs"]],
])("diffTools, emit and printZodModule work in %s", async (_where, args) => {
  const { stdout, stderr, exitCode } = await runProgram(folder, process.execPath, args);
  expect({ stdout, stderr, exitCode }).toEqual({ stdout: ANSWER, stderr: "", exitCode: 0 });
});
