/** An embedder that the configuration names: `search` and `serve` find tools by meaning. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { openToolset } from "../../../src/serve/index.js";
import { makeProject, type Project } from "../../e2e/make-project.js";

const tool = (name: string, description: string): object => ({
  ...{ name, description, inputSchema: { type: "object" } },
});
const TOOLS = [tool("list-posts", "Returns posts."), tool("drop-entry", "Removes one for good.")];

/** Knows one thing: what is dropped is wasted. Writes down what it was asked. */
const EMBEDDER = `import { appendFileSync } from "node:fs";
console.log("loaded");
export default {
  embed: async (texts, purpose) => {
    appendFileSync(new URL("asked.txt", import.meta.url), \`\${purpose} \${texts.length}\\n\`);
    return texts.map((text) => Float32Array.from(/drop|wastebasket/.test(text) ? [1, 0] : [0, 1]));
  },
};
`;

async function makeSearched(embedder: string): Promise<Project> {
  const servers = { shop: { file: "tools.json" } };
  const project = await makeProject({ servers, output: false, embedder: "meaning.mjs" });
  await project.writeJson("tools.json", { tools: TOOLS });
  await project.write("meaning.mjs", embedder);
  return project;
}

test("pull makes the vectors, and search finds by meaning and embeds the query alone", async () => {
  const project = (await makeSearched(EMBEDDER)).withEnv({ MCP_CODEGEN_CACHE: "cache" });
  const pulled = await project.runJson(["pull"]);
  expect([pulled.exitCode, pulled.stderr.includes("loaded")]).toEqual([0, true]);
  expect(await project.read("asked.txt")).toBe("tool 2\n");
  const { document } = await project.runJson(["search", "wastebasket"]);
  expect(document).toMatchObject({ exitCode: 0, tools: [{ name: "drop-entry" }] });
  expect(await project.read("asked.txt")).toBe("tool 2\nquery 1\n");
  await project.writeJson("tools.json", { tools: [...TOOLS, tool("get-post", "Returns a post.")] });
  await project.prints(["pull"], 0);
  expect(await project.read("asked.txt")).toBe("tool 2\nquery 1\ntool 1\n");
});

test("toolsets of the project search by meaning, or with the embedder that they are given", async () => {
  const project = await makeSearched(EMBEDDER);
  await project.run(["pull"]);
  const find = async (options: Partial<Parameters<typeof openToolset>[0]> = {}): Promise<unknown> => {
    const toolset = await openToolset({ cwd: project.dir, variables: {}, ...options });
    const answer = await toolset.answer("search_tools", { query: "wastebasket" });
    await toolset.close();
    return answer.structuredContent;
  };
  expect(JSON.stringify(await find())).toContain("drop-entry");
  const embedder = {
    embed: (texts: readonly string[]) => Promise.resolve(texts.map(() => Float32Array.of(1))),
  };
  expect(JSON.stringify(await find({ embedder }))).toContain("list-posts");
});

test("a failing embedder is a warning, and search uses words", async () => {
  const project = await makeSearched(
    'export default { embed: async () => { throw new Error("No model."); } };',
  );
  const warning = "The embedder failed, so the search uses words only: No model.";
  expect(await project.run(["pull"])).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining(warning) as string,
  });
  const found = await project.run(["search", "drop"]);
  expect(found).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(warning) as string });
  expect(found.stdout).toContain("drop-entry");
});

test.each([
  ["export default {};", '"embedder" names "meaning.mjs", whose default export is not an embedder.'],
  ["export const embed = 1;", '"meaning.mjs" has no default export.'],
  ["throw new Error('Oh no.');", '"meaning.mjs:1" cannot be loaded: Oh no.'],
])("a module that is not an embedder is refused: %s", async (embedder, message) => {
  const project = await makeSearched(embedder);
  await project.refuses(["pull"], message);
  await project.refuses(["search", "drop"], message);
  const opened = openToolset({
    cwd: project.dir,
    variables: {},
    config: join(project.dir, "mcp-codegen.config.json"),
  });
  await expect(opened).rejects.toThrow(message);
});

test("a module that is missing is refused, unless the tools are served directly", async () => {
  const project = await makeProject({ servers: {}, embedder: "gone.mjs" });
  const message = '"embedder" names "gone.mjs", which cannot be read: ';
  await project.refuses(["search", "drop"], message);
  await project.refuses(["serve"], message);
  await project.prints(["serve", "--direct"], 0);
});
