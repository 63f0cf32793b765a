/**
 * Tries the package under other JavaScript runtimes: Node 22 and 24, Bun and Deno. Installs them from npm into a
 * temporary folder; in a project for each, compares tools, prints schemas, pulls the example server and calls a tool.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { installPackage, packPackage, runOrThrow, runProgram } from "../test/package/packed.js";

const HOSTS: Readonly<Record<string, readonly string[]>> = {
  "Node, this one": [process.execPath],
  "Node 22": ["node_modules/node22/bin/node"],
  "Node 24": ["node_modules/node24/bin/node"],
  Bun: ["node_modules/.bin/bun"],
  Deno: ["node_modules/.bin/deno", "run", "-A"],
};

const PROGRAM = `
import { diffTools, printTypes, printZodModule } from "mcp-codegen";
import { connect } from "./generated/example/index.ts";
const tool = (type) => ({ name: "get", inputSchema: { type: "object", properties: { n: { type } } } });
const [change] = diffTools([tool("number")], [tool("integer")]);
const { text } = printZodModule({ type: "string" }, { name: "Name" });
const types = await printTypes({ type: "string" }, { name: "Name" });
const bakery = connect();
const { posts } = await bakery.listPosts({});
await bakery.close();
console.log([change.class, text.includes("z.string()"), types.text.includes("Name"), posts.length > 0].join());
process.exit(0);
`;
const ANSWER = "breaking,true,true,true";

const folder = await mkdtemp(join(tmpdir(), "mcp-codegen-hosts-"));
try {
  const tarball = await packPackage(folder);
  await installPackage(folder, tarball, ["zod", "node22@npm:node@22", "node24@npm:node@24", "bun", "deno"]);
  await runOrThrow(folder, "npx", ["mcp-codegen", "init", "--example", "--yes"]);
  const config = join(folder, "mcp-codegen.config.ts");
  // Deno resolves a module only by its own name.
  const settings = (await readFile(config, "utf8")).replace("servers:", 'importExtension: "ts",\n  servers:');
  await writeFile(config, settings);
  await writeFile(join(folder, "program.mts"), PROGRAM);
  for (const [name, [command = "", ...args]] of Object.entries(HOSTS)) {
    await rm(join(folder, "generated"), { recursive: true, force: true });
    const pulled = await runProgram(folder, command, [
      ...args,
      "node_modules/mcp-codegen/bin/mcp-codegen.js",
      "pull",
    ]);
    const typed = name.startsWith("Node") ? [...args, "--import", "jiti/register"] : args;
    const ran = await runProgram(folder, command, [...typed, "program.mts"]);
    const isRight = pulled.exitCode === 0 && ran.exitCode === 0 && ran.stdout.trim() === ANSWER;
    console.log(`${isRight ? "ok    " : "FAILED"} ${name}`);
    if (!isRight) {
      console.log(pulled.stderr, ran.stdout, ran.stderr);
      process.exitCode = 1;
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
