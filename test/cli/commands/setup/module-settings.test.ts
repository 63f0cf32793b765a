/** `doctor`, `generate` and `pull` name module settings that cannot compile generated code, as real compilers do. */
import { rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { examineTsconfig } from "../../../../src/cli/commands/setup/examine-tsconfig.js";
import { fixtureCommand } from "../../../servers/start-fixture.js";
import { isSample, sample } from "../../../sample.js";
import { makePulled, openAt, type Project } from "../../../e2e/make-project.js";
import { compile, linkPackages } from "../../../e2e/user-project.js";

const MODULES = ["commonjs", "node16", "node18", "node20", "nodenext", "esnext", "preserve"];
const TYPES = ["module", undefined];

interface Settings {
  readonly type: string | undefined;
  readonly module: string;
  readonly verbatimModuleSyntax: boolean;
}

const CASES = TYPES.flatMap((type) =>
  MODULES.flatMap((module): readonly Settings[] =>
    [false, true].map((verbatimModuleSyntax) => ({ type, module, verbatimModuleSyntax })),
  ),
);

async function configure({ dir }: Project, { type, module, verbatimModuleSyntax }: Settings): Promise<void> {
  await writeFile(join(dir, "package.json"), JSON.stringify({ private: true, type }));
  const moduleResolution = ["commonjs", "esnext"].includes(module) ? "bundler" : undefined;
  const compilerOptions = {
    ...{ module, moduleResolution, verbatimModuleSyntax },
    ...{ strict: true, skipLibCheck: true, target: "es2022", types: [], lib: ["es2022"], rootDir: "." },
  };
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["generated"] }));
}

async function link(compiler: string): Promise<Project> {
  const project = await makePulled({ servers: { shop: fixtureCommand("paged") } });
  await linkPackages(project.dir);
  await symlink(resolve("node_modules", compiler), join(project.dir, "node_modules/typescript"), "junction");
  return project;
}

/** What the compiler says of generated code, and what `doctor` does. */
async function judge(project: Project, settings: Settings): Promise<readonly boolean[]> {
  await configure(project, settings);
  const [{ exitCode }, diagnoses] = await Promise.all([
    compile(project.dir, "node_modules/typescript-7/bin/tsc", "out"),
    examineTsconfig(openAt(project.dir)),
  ]);
  return [exitCode === 0, diagnoses.every(({ status }) => status === "ok")];
}

describe("module settings of a TypeScript project", () => {
  it("are judged as the compiler judges them, for every kind of package", async () => {
    const project = await link("typescript-7");
    const wrong: unknown[] = [];
    let refused = 0;
    for (const settings of sample(CASES, 3)) {
      const [compiles, isFine] = await judge(project, settings);
      if (compiles !== isFine) wrong.push({ ...settings, compiles, isFine });
      if (!compiles) refused += 1;
    }
    expect(wrong).toEqual([]);
    expect(refused).toBe(isSample ? 3 : 8);
  });

  it.each([
    ["commonjs", "node16", false, '"module": "node16"', 'Set "module": "nodenext"'],
    ["commonjs", "nodenext", true, '"verbatimModuleSyntax"', 'Set "type": "module" in package.json'],
    ["module", "commonjs", true, '"verbatimModuleSyntax"', 'Set "module": "preserve"'],
  ] as const)("%s, %s, verbatim %j: the fix is enough", async (type, module, verbatim, reason, fix) => {
    const project = await link("typescript");
    const settings = { type, module, verbatimModuleSyntax: verbatim };
    await configure(project, settings);
    const has = (text: string): unknown => expect.stringContaining(text);
    const failed = { status: "failed", message: has(reason), fix: has(fix) };
    expect((await examineTsconfig(openAt(project.dir)))[0]).toMatchObject(failed);
    const fixed = {
      type: fix.includes("type") ? "module" : type,
      module: /"module": "(\w+)"/.exec(fix)?.[1] ?? module,
    };
    expect(await judge(project, { ...settings, ...fixed })).toEqual([true, true]);
  });

  it("are named by pull and generate too, once there is new code", async () => {
    const project = await link("typescript");
    await configure(project, { type: "commonjs", module: "node16", verbatimModuleSyntax: false });
    const says = 'The generated code does not compile: under "module": "node16"';
    expect((await project.run(["generate", "--full"])).stdout).not.toContain(says);
    await rm(join(project.dir, "generated/index.ts"));
    const { stdout } = await project.run(["generate"]);
    expect(stdout).toContain(says);
    expect(stdout).toContain('Set "module": "nodenext"');
    await configure(project, { type: "module", module: "node16", verbatimModuleSyntax: false });
    await rm(join(project.dir, "generated/index.ts"));
    expect((await project.run(["generate"])).stdout).not.toContain(says);
  });
});
