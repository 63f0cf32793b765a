/** What `doctor` says of a TypeScript configuration, a CI file and Node. */
import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { examineNode } from "../../../../src/cli/commands/setup/doctor.js";
import { examineRepository } from "../../../../src/cli/commands/setup/examine.js";
import { examineTsconfig } from "../../../../src/cli/commands/setup/examine-tsconfig.js";
import { makeProject, openAt } from "../../../e2e/make-project.js";
import { sample } from "../../../sample.js";

// The newest compiler prints the options of a project that it cannot read, as if nothing were wrong.
describe.each(sample(["typescript-5.9", "typescript", "typescript-7"], 2))("with %s", (compiler) => {
  const examine = async (text: string): Promise<readonly object[]> => {
    const project = await makeProject();
    await mkdir(join(project.dir, "node_modules"));
    const folder = join(project.dir, "node_modules/typescript");
    await symlink(resolve("node_modules", compiler), folder, "junction");
    await project.write("app.ts", "export {};\n");
    await project.write("tsconfig.json", text);
    return examineTsconfig(openAt(project.dir));
  };

  it("accepts a strict TypeScript configuration", async () => {
    const text = `{"compilerOptions":{"module":"nodenext","strict":true}}`;
    expect(await examine(text)).toMatchObject([{ status: "ok" }]);
  });

  it.each([
    ['{"compilerOptions":{"module":', "tsconfig.json:1:30: Expression expected."],
    ['{"compilerOptions":{"module":"nodenext","strict":true}', "tsconfig.json:2:1: '}' expected."],
    ['{"extends":"./gone.json"}', "gone.json"],
    ['{"extends":"@tsconfig/gone"}', "@tsconfig/gone"],
    ['{"compilerOptions":{"module":"nodnext"}}', "--module"],
  ])("says what is wrong with the TypeScript configuration %s", async (text, reason) => {
    const found = await examine(`${text}\n`);
    const message = expect.stringMatching(/^TypeScript cannot read "tsconfig\.json": /) as unknown;
    const fix = 'Correct it until "npx tsc -p tsconfig.json --noEmit" can read it.';
    expect(found).toMatchObject([{ status: "failed", message, fix }]);
    expect(JSON.stringify(found)).toContain(reason);
  });
});

const action = "steps:\n  - name: Contract\n    uses: mcp-codegen/mcp-codegen@v0";
it.each([
  ["steps:\n  # - run: npx mcp-codegen check\n", false],
  ["steps:\n  - run: npm test # not npx mcp-codegen check\n", false],
  ["steps:\n  - run: npx mcp-codegen check # of all servers\n", true],
  [`${action}\n`, true],
  [`${action} # pinned\n    with:\n      mode: "check"\n`, true],
  [`${action}\n    with:\n      mode: \${{ inputs.mode }}\n`, true],
  [`${action}\n    with:\n      # mode: upgrade\n      servers: shop\n`, true],
  [`${action}\n    with:\n      mode: upgrade\n`, false],
  [`${action}\n    with: { servers: shop, mode: upgrade }\n`, false],
  [`${action}\n    with:\n      mode: upgrade\n  - uses: mcp-codegen/mcp-codegen@v0\n`, true],
  [`${action}\n  - uses: other/action@v1\n    with:\n      mode: upgrade\n`, true],
])("knows whether a CI file runs check: %j", async (text, isRun) => {
  const project = await makeProject();
  execFileSync("git", ["init", "--quiet"], { cwd: project.dir });
  await mkdir(join(project.dir, ".github/workflows"), { recursive: true });
  await project.write(".github/workflows/ci.yml", text);
  const found = await examineRepository(project.dir, undefined);
  expect(found.find(({ about }) => about === "ci")?.status).toBe(isRun ? "ok" : "warning");
});

it.each([
  ["20.19.0", "ok"],
  ["24.1.0", "ok"],
  ["20.18.3", "failed"],
  ["18.20.0", "failed"],
])("judges Node %s", (version, status) => {
  expect(examineNode(version).status).toBe(status);
});
