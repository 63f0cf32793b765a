/** The script of docs/scripts.md is saved, run and checked, and the page shows what the commands print. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { makeProject } from "../e2e/make-project.js";
import { runBuilt } from "../e2e/run-built.js";
import { readSnippets, withoutToday } from "./read-snippets.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGE = "docs/scripts.md";

test("the script of the page runs, and a change of its server breaks it", async () => {
  const blocks = readSnippets(PAGE, await readFile(join(ROOT, PAGE), "utf8"));
  const textOf = (wanted: string): string => blocks.find(({ note }) => note === wanted)?.text ?? "";
  const server = [join(ROOT, "bin/mcp-codegen.js"), "example-server"];
  const project = await makeProject({
    scripts: ["automations/*.ts"],
    servers: {
      example: { command: "node", args: server, environments: { next: { args: [...server, "--next"] } } },
    },
  });
  const name = "automations/drafts.ts";
  await mkdir(join(project.dir, "automations"));
  await project.write(name, textOf(name));
  expect((await project.run(["pull"])).exitCode).toBe(0);

  expect(await runBuilt(project, ["run", name])).toMatchObject({ exitCode: 0, stdout: textOf("run") });
  expect(await runBuilt(project, ["run", "--check", "automations/*.ts"])).toMatchObject({ exitCode: 0 });
  const { exitCode, stdout } = await runBuilt(project, ["check", "--env", "next", "--impact"]);
  expect(exitCode).toBe(1);
  expect(textOf("check")).not.toBe("");
  // A waiver is proposed for a month.
  expect(withoutToday(stdout)).toContain(textOf("check"));

  const writing = "automations/publish.ts";
  await project.write(writing, textOf(writing));
  const publish = ["run", writing];
  const writes = { MCP_CODEGEN_ENABLE_WRITES: "1" };
  expect((await runBuilt(project, publish)).exitCode).toBe(1);
  expect((await runBuilt(project, publish, writes)).exitCode).toBe(1);
  expect(await runBuilt(project, [...publish, "--yes"])).toMatchObject({ exitCode: 0 });
});
