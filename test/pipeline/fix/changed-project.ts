import { expect } from "vitest";
import { commitAll } from "../../e2e/git.js";
import { makeProject, type Project } from "../../e2e/make-project.js";
import { compile, linkPackages, NEWEST, TSCONFIG } from "../../e2e/user-project.js";

/** The tools of server `shop` before and after a change, and files of the user by path. */
interface Changed {
  readonly before: readonly object[];
  readonly after: readonly object[];
  readonly files: Readonly<Record<string, string>>;
}

/** Prepares a TypeScript project whose code is below `src`. */
export async function prepare(project: Project, files: Changed["files"]): Promise<void> {
  await linkPackages(project.dir);
  await project.write("tsconfig.json", TSCONFIG);
  await project.write(".gitignore", "node_modules\nout\n");
  for (const [path, text] of Object.entries(files)) await project.write(path, text);
}

export async function expectCompiles({ dir }: Project): Promise<void> {
  expect((await compile(dir, NEWEST, "out")).stdout).toBe("");
}

/** A project whose code, below `src`, compiles and is committed, and whose server then changed its tools. */
export async function makeChangedProject({ before, after, files }: Changed): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "tools.json" } } });
  await prepare(project, files);
  await project.writeJson("tools.json", { tools: before });
  await project.prints("pull", 0);
  await expectCompiles(project);
  await commitAll(project.dir);
  await project.writeJson("tools.json", { tools: after });
  await project.prints("pull", 0);
  return project;
}
