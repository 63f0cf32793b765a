import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const SAMPLES = "../shared/design/sample";
const STRICTEST = {
  target: "es2023",
  // Zod needs URL, which is declared by DOM or by Node.
  lib: ["es2023", "dom"],
  types: [],
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  skipLibCheck: false,
};

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "samples-"));
  await mkdir(join(dir, "node_modules"));
  await symlink(resolve("."), join(dir, "node_modules/mcp-codegen"), "junction");
  await symlink(resolve("node_modules/zod"), join(dir, "node_modules/zod"), "junction");
  await writeFile(join(dir, "package.json"), '{ "type": "module" }');
});
afterAll(() => rm(dir, { recursive: true }));

async function compile(options: object): Promise<string> {
  const compilerOptions = { ...STRICTEST, ...options };
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }));
  const tsc = resolve("node_modules/typescript-7/bin/tsc");
  const { stdout } = await run(process.execPath, [tsc, "-p", dir]).catch(
    (error: unknown) => error as { stdout: string },
  );
  return stdout;
}

/** Generated code as it is meant to be, written by hand, and a user of it. */
describe.skipIf(!existsSync(SAMPLES))(`the samples of generated code (need ${SAMPLES})`, () => {
  beforeAll(async () => {
    await mkdir(join(dir, "generated/everything"), { recursive: true });
    for (const file of await readdir(SAMPLES)) {
      if (file.startsWith("runtime-sketch")) continue;
      const folder = file.startsWith("app.") ? dir : join(dir, "generated/everything");
      await copyFile(join(SAMPLES, file), join(folder, file.replace(/\.txt$/, "")));
    }
  });

  test.each([
    { module: "nodenext", exactOptionalPropertyTypes: true, isolatedDeclarations: true, declaration: true },
    { module: "preserve", moduleResolution: "bundler" },
  ])("compile under %o", async (options) => {
    expect(await compile(options)).toBe("");
  });
});

test("tools can be closed, disposed of, and collected whatever they take", async () => {
  await writeFile(
    join(dir, "uses.ts"),
    `import { connectTools, type AnyTool, type CallOptions, type Connection, type ServerDefinition, type Tool, type ToolContent } from "mcp-codegen/runtime";
     declare const server: ServerDefinition;
     declare const getSum: Tool<{ a: number }, ToolContent>;
     type Tools = { readonly getSum: typeof getSum };
     export function connect(options?: CallOptions): Tools & Connection { return connectTools(server, { getSum }, options); }
     export async function use(): Promise<string> {
       await using tools = connect({ timeout: 5 });
       const all: readonly AnyTool[] = [getSum, tools.getSum];
       // @ts-expect-error: an input of another type
       void tools.getSum({ a: "1" });
       await tools.close();
       return (await tools.getSum({ a: 1 })).text + String(all.length);
     }
     export const plain: Tools = connect();`,
  );
  try {
    expect(await compile({ module: "nodenext", lib: ["es2023", "dom", "esnext.disposable"] })).toBe("");
  } finally {
    await rm(join(dir, "uses.ts"));
  }
});
