import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { makeProject, type Project } from "../e2e/make-project.js";
import { NEWEST, OLDEST, runTypeScript } from "../e2e/user-project.js";

const FIXTURE = "prompts-and-resources";
const INCLUDE = ["tools", "prompts", "resources"];

async function configure(project: Project, server: object): Promise<void> {
  await project.configure({ servers: { demo: server } });
}

async function generated(server: object): Promise<Project> {
  const project = await makeProject();
  await configure(project, server);
  for (const argv of [["pull"], ["generate"]]) await project.prints(argv, 0);
  return project;
}

describe("generated prompts and resources", () => {
  const PROGRAM = `
    import { connect, prompts, resources } from "./generated/demo/index.js";
    await using demo = connect();
    const review = await demo.prompts.codeReview({ code: "let x", style: "ours" });
    const page = await demo.resources.issue({ id: "7", labels: ["a", "b"] });
    const missing = await demo.resources.file.safe({ path: "missing" });
    const shared = await prompts.greeting();
    const readme = await resources.readme();
    console.log(JSON.stringify([
      review.messages[0]?.content.text,
      page.contents[0]?.uri,
      missing.ok ? "" : missing.error.code,
      shared.description,
      readme.contents[0]?.text,
      (await demo.ping({})).text,
    ]));
  `;

  const eras = [
    ["2026-07-28", NEWEST, ["--era", "both"]],
    ["2025-11-25", OLDEST, []],
  ] as const;
  it.each(eras)("compile and run in %s", async (protocol, compiler, args) => {
    const http = await startFixture(FIXTURE, { args });
    onTestFinished(() => http.close());
    const project = await generated({ url: http.url, include: INCLUDE, protocol });
    expect(await runTypeScript(project, PROGRAM, { compiler })).toEqual([
      '{"code":"let x","style":"ours"}',
      "demo://issues/7?labels=a&labels=b",
      "NOT_FOUND",
      "It is greeting.",
      "# Demo",
      "pong",
    ]);
  });

  it("are stale, edited and removed as the files of tools are", async () => {
    const server = fixtureCommand(FIXTURE);
    const project = await generated({ ...server, include: INCLUDE });
    const paths = await project.paths();
    const prompts = paths.find((path) => path.endsWith("demo/prompts.ts")) ?? "";
    const resources = paths.find((path) => path.endsWith("demo/resources.ts")) ?? "";
    const check = async (...argv: readonly string[]): Promise<readonly [number, string]> => {
      const { exitCode, stdout, stderr } = await project.run(["check", "--offline", ...argv]);
      return [exitCode, stdout + stderr];
    };
    expect((await check())[0]).toBe(0);
    expect((await check("--full"))[0]).toBe(0);

    const text = await project.read(prompts);
    await project.write(prompts, text.replace("Reviews code.", "Reviews."));
    expect(await check()).toEqual([1, expect.stringContaining("prompts.ts")]);
    await project.write(prompts, text);

    await configure(project, {
      ...{ ...server, include: INCLUDE },
      prompts: { rename: { code_review: "reviewIt" } },
    });
    expect(await check()).toEqual([1, expect.stringContaining("prompts.ts")]);
    await project.prints(["generate"], 0);
    expect(await project.read(prompts)).toContain("export const reviewIt");

    await configure(project, { ...server, include: ["tools", "prompts"] });
    await project.prints(["pull"], 0);
    await project.prints(["generate"], 0);
    expect(await project.paths()).not.toContain(resources);
    expect(await project.paths()).toContain(prompts);
    expect((await check())[0]).toBe(0);
  });

  it("of the reference server compile and run", async () => {
    const require = createRequire(import.meta.url);
    const everything = join(
      dirname(require.resolve("@modelcontextprotocol/server-everything/package.json")),
      "dist/index.js",
    );
    const project = await generated({ command: process.execPath, args: [everything], include: INCLUDE });
    const program = `
      import { mockServer } from "mcp-codegen/testing";
      import * as module from "./generated/demo/index.js";
      await using demo = module.connect({ record: "cassette" });
      const simple = await demo.prompts.simplePrompt();
      const city = await demo.prompts.argsPrompt({ city: "Bern" });
      const dynamic = await demo.resources.dynamicTextResource({ resourceId: "1" });
      const mock = mockServer(module, {}, { cassette: "cassette" });
      console.log(JSON.stringify([
        simple.messages[0]?.role,
        city.messages[0]?.content.text?.includes("Bern"),
        dynamic.contents[0]?.uri,
        JSON.stringify(await mock.tools.prompts.argsPrompt({ city: "Bern" })) === JSON.stringify(city),
        JSON.stringify(await mock.tools.resources.dynamicTextResource({ resourceId: "1" })) === JSON.stringify(dynamic),
        await mock.tools.prompts.argsPrompt.safe({ city: "Rome" }).then((result) => result.ok || result.error.code),
      ]));
    `;
    expect(await runTypeScript(project, program)).toEqual([
      "user",
      true,
      "demo://resource/dynamic/text/1",
      true,
      true,
      "CALL_NOT_RECORDED",
    ]);
  });
});
