/**
 * Runs the tests of docs/testing.md and docs/server-authors.md under Jest against the packed package: recorded with the server, then replayed without
 * it, and mocked. Not part of `npm test`, because it installs Jest; see `npm run test:jest`.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "../global-setup.js";
import { readSnippets } from "../docs/read-snippets.js";
import { createFolder, installPackage, packPackage, ROOT, runOrThrow, runProgram } from "./packed.js";

const PACKAGES = [
  "zod@^4.5.0",
  "@modelcontextprotocol/sdk@1",
  "@modelcontextprotocol/server@2",
  "jest@30",
  "typescript@5.9",
  "@jest/globals@30",
  "@types/node@20",
];
const TSCONFIG = {
  compilerOptions: { target: "es2023", module: "nodenext", strict: true, skipLibCheck: true, outDir: "out" },
  include: ["*.ts", "generated"],
};
/** The files of the pages that name no module of Vitest's but its globals. */
const FILES = ["posts.test.ts", "mock.test.ts", "server.ts", "server-v1.ts", "contract.test.ts"];

/** As the page says: other modules, and the matchers of another module. */
const forJest = (text: string): string =>
  text
    .replace('from "vitest"', 'from "@jest/globals"')
    .replace('declare module "vitest"', 'declare module "expect"')
    .replace("Matchers<T> extends ContractMatchers<T>", "Matchers<R> extends ContractMatchers<R>")
    .replace('{ name: "orders" }', '{ lock: "contract/mcp-codegen.lock.json" }');

build();
const folder = await createFolder("jest");
try {
  const run = (...args: readonly string[]) => runOrThrow(folder.path, "npx", ["--no-install", ...args]);
  await installPackage(folder.path, await packPackage(folder.path), PACKAGES);
  await run("mcp-codegen", "init", "--example", "--yes");
  await run("mcp-codegen", "pull", "--no-frozen");
  for (const name of ["docs/testing.md", "docs/server-authors.md"])
    for (const { note, text } of readSnippets(name, await readFile(join(ROOT, name), "utf8")))
      if (FILES.includes(note)) await writeFile(join(folder.path, note), forJest(text));
  // Each contract has a lock of its own, which its first run writes.
  for (const name of ["contract", "contract-v1"]) await mkdir(join(folder.path, name));
  const contract = await readFile(join(folder.path, "contract.test.ts"), "utf8");
  const version1 = contract
    .replace("./server.js", "./server-v1.js")
    .replace("contract/mcp", "contract-v1/mcp");
  await writeFile(join(folder.path, "contract-v1.test.ts"), version1);
  await writeFile(join(folder.path, "tsconfig.json"), JSON.stringify(TSCONFIG));
  await run("tsc", "-p", ".");
  for (const step of ["records", "replays"]) {
    // Without the server's program, a call that is made fails.
    if (step === "replays") await rm(join(folder.path, "node_modules/mcp-codegen/bin"), { recursive: true });
    const jest = ["--experimental-vm-modules", "node_modules/jest/bin/jest.js", "--rootDir", "."];
    const { exitCode, stderr } = await runProgram(folder.path, process.execPath, [
      ...jest,
      ...["--testEnvironment", "node", "--testMatch", "**/out/*.test.js"],
      ...["--testTimeout", "600000"],
    ]);
    if (exitCode !== 0 || !stderr.includes("6 passed"))
      throw new Error(`Jest ended with ${exitCode}:\n${stderr}`);
    process.stdout.write(`Jest ${step} and mocks: 6 tests passed.\n`);
  }
} finally {
  folder.remove();
}
