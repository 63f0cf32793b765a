/** What `mcp-codegen fix` says where no rename is certain. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commitAll } from "../../e2e/git.js";
import { makeChangedProject } from "./changed-project.js";

const TIME = { timeout: 120_000 };

interface Names {
  readonly state: string;
  readonly limit: string;
}

const OLD: Names = { state: "cancelled", limit: "limit" };

const toolOf = ({ state, limit }: Names): object => ({
  name: "get_order",
  description: "Returns an order.",
  inputSchema: {
    type: "object",
    properties: { [limit]: { type: "integer" }, state: { type: "string", enum: ["open", state] } },
  },
});

const CODE = `import { getOrder } from "../generated/shop/index.js";
export const order = await getOrder({ limit: 3, state: "cancelled" });
`;

async function makeProject(now: Names, code = CODE) {
  return makeChangedProject({ before: [toolOf(OLD)], after: [toolOf(now)], files: { "src/app.ts": code } });
}

it("guesses a value that is spelled alike, and applies it if a person names it", TIME, async () => {
  const project = await makeProject({ ...OLD, state: "canceled" });
  const shown = await project.run(["fix"]);
  expect(shown.exitCode).toBe(1);
  expect(shown.stdout).toContain("shop/get_order.state:cancelled=canceled is a guess (80 percent)");
  expect(shown.stdout.split("\n").slice(1)).toEqual([
    "1 rename since HEAD is not certain, and was not applied.",
    "To apply it: npx mcp-codegen fix --rename shop/get_order.state:cancelled=canceled",
    "",
  ]);
  const unasked = await project.run(["fix", "--write", "--yes"]);
  expect([unasked.exitCode, await project.read("src/app.ts")]).toEqual([1, CODE]);
  const rename = ["--rename", "shop/get_order.state:cancelled=canceled"];
  expect((await project.run(["fix", "--write", ...rename])).exitCode).toBe(0);
  expect(await project.read("src/app.ts")).toBe(CODE.replace("cancelled", "canceled"));
});

it("does not take a guess for applied where the code was not searched", TIME, async () => {
  const project = await makeProject({ ...OLD, state: "canceled" });
  await rm(join(project.dir, "tsconfig.json"));
  const { exitCode, document } = await project.runJson(["fix"]);
  expect(exitCode).toBe(1);
  expect(document).toMatchObject({
    applied: [],
    guessed: [{ rename: "shop/get_order.state:cancelled=canceled" }],
  });
});

it("lists what is left of an applied guess, and does not offer it again", TIME, async () => {
  const code = `${CODE}const find = (state: string) => getOrder({ state: state as "open" });
export const found = find("cancelled");
`;
  const project = await makeProject({ ...OLD, state: "canceled" }, code);
  const rename = ["--rename", "shop/get_order.state:cancelled=canceled"];
  const first = await project.runJson(["fix", "--write", ...rename]);
  expect(first.document["left"]).toMatchObject([{ line: 4 }]);
  const { document, exitCode } = await project.runJson(["fix"]);
  expect(document).toMatchObject({ guessed: [], files: [], left: first.document["left"] });
  expect(exitCode).toBe(1);
});

it("says what is possible, and does not apply it", TIME, async () => {
  const project = await makeProject({ state: "shipped", limit: "first" });
  const { exitCode, stdout } = await project.run(["fix", "--write", "--yes"]);
  expect(exitCode).toBe(1);
  expect(stdout).toContain(
    "shop/get_order.state:cancelled=shipped is possible: one was removed, and one was added",
  );
  expect(stdout).toContain("shop/get_order.limit=first is possible");
  expect(await project.read("src/app.ts")).toBe(CODE);
});

it("lists what does not compile where nothing was renamed", TIME, async () => {
  const after = { ...toolOf(OLD), inputSchema: { type: "object", properties: { id: { type: "integer" } } } };
  const project = await makeChangedProject({
    before: [toolOf(OLD)],
    after: [after],
    files: { "src/app.ts": CODE },
  });
  const { document, exitCode } = await project.runJson(["fix"]);
  expect(exitCode).toBe(1);
  expect(document["left"]).toMatchObject([{ file: "src/app.ts", line: 2 }]);
});

it(
  "says that the compiler finds nothing, that the lock is the same, and that there was none",
  TIME,
  async () => {
    const project = await makeProject({ ...OLD, limit: "first" }, 'import "../generated/shop/index.js";\n');
    expect((await project.run(["fix"])).stdout).toContain(
      "Nothing to edit: no file has a name that changed since HEAD, and the compiler finds nothing new.",
    );
    await rm(join(project.dir, "tsconfig.json"));
    expect((await project.run(["fix"])).stdout).toContain(
      "Your code was not searched, since it has no tsconfig.json; without one, pass --project.",
    );
    await commitAll(project.dir);
    const same = await project.run(["fix"]);
    expect(same).toMatchObject({ exitCode: 0 });
    expect(same.stdout).toContain("Nothing to edit: the lock has not changed since HEAD.");
    expect(same.stdout).toContain(
      "If the change is committed, name a commit before it: npx mcp-codegen fix --against HEAD~1",
    );
  },
);
