import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { commitAll } from "../../e2e/git.js";
import { makeProject, type Project } from "../../e2e/make-project.js";
import { compile, linkPackages } from "../../e2e/user-project.js";

const COMPILER = "node_modules/typescript-7/bin/tsc";

/** Options under which TypeScript 6 and 7 compile the code of these tests. */
const compilerOptions = {
  ...{ module: "nodenext", target: "es2023", strict: true, skipLibCheck: true },
  ...{ types: [], lib: ["es2023"] },
};

/** The tools of server `shop` before and after a change, and files of the user by path. */
interface Changed {
  readonly before: readonly object[];
  readonly after: readonly object[];
  readonly files: Readonly<Record<string, string>>;
}

/** A project whose code, below `src`, compiles and is committed, and whose server then changed its tools. */
export async function makeChangedProject({ before, after, files }: Changed): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "tools.json" } } });
  await linkPackages(project.dir);
  await project.write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["src"] }));
  await project.write(".gitignore", "node_modules\nout\n");
  await project.write("tools.json", JSON.stringify({ tools: before }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(project.dir, path)), { recursive: true });
    await project.write(path, text);
  }
  expect((await project.run(["pull"])).exitCode).toBe(0);
  expect((await compile(project.dir, COMPILER, "out")).stdout).toBe("");
  await commitAll(project.dir);
  await project.write("tools.json", JSON.stringify({ tools: after }));
  expect((await project.run(["pull"])).exitCode).toBe(0);
  return project;
}
