/** The library answers wherever it is loaded from: a file, `-e`, CommonJS, a thread, a bundle. */
import { mkdtemp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, runProgram } from "../package/packed.js";

/** Compares two tools, for which Ajv is loaded, and prints a schema. */
const PROGRAM = `
const tool = (type) => ({ name: "get", inputSchema: { type: "object", properties: { n: { type } } } });
const [change] = diffTools([tool("number")], [tool("integer")]);
const zod = printZodModule({ type: "string" }, { name: "Name" });
console.log(JSON.stringify([change.class, change.witness, zod.text.includes("z.string()")]));
`;
const ANSWER = '["breaking",{"n":1.5},true]\n';
const IMPORT = `import { diffTools, printZodModule } from "mcp-codegen";\n`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-codegen-hosts-"));
  await mkdir(join(folder, "node_modules"));
  await symlink(ROOT, join(folder, "node_modules/mcp-codegen"));
  for (const name of ["ajv", "ajv-draft-04", "zod"])
    await symlink(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  await writeFile(join(folder, "program.mjs"), IMPORT + PROGRAM);
  await writeFile(
    join(folder, "program.cjs"),
    `const { diffTools, printZodModule } = require("mcp-codegen");${PROGRAM}`,
  );
  await writeFile(
    join(folder, "thread.mjs"),
    `import { Worker } from "node:worker_threads";\nnew Worker("./program.mjs");`,
  );
  const bundle = await rolldown({ input: join(folder, "program.mjs"), platform: "node", logLevel: "silent" });
  await bundle.write({ dir: join(folder, "esm"), entryFileNames: "bundle.mjs" });
  await bundle.write({ dir: join(folder, "cjs"), format: "cjs", entryFileNames: "bundle.cjs" });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each<[where: string, args: readonly string[]]>([
  ["a file", ["program.mjs"]],
  ["node -e", ["--input-type=module", "-e", IMPORT + PROGRAM]],
  ["CommonJS", ["program.cjs"]],
  ["node -e as CommonJS", ["-e", `const { diffTools, printZodModule } = require("mcp-codegen");${PROGRAM}`]],
  ["a thread", ["thread.mjs"]],
  ["a bundle", ["esm/bundle.mjs"]],
  ["a CommonJS bundle", ["cjs/bundle.cjs"]],
])(
  "diffTools and printZodModule answer from %s",
  async (_where, args) => {
    const { stdout, stderr, exitCode } = await runProgram(folder, process.execPath, args);
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: ANSWER, stderr: "", exitCode: 0 });
  },
  60_000,
);
