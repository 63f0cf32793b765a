import { describe, expect, it } from "vitest";
import { makeProject, type Project } from "./make-project.js";

const VECTORS = "mcp-codegen.vectors.json";

/** Remembers what it was asked in a file; a vector is how often each of eight letters occurs. */
const EMBEDDER = `
import { appendFileSync } from "node:fs";
export default {
  id: "letters@1",
  dimensions: 8,
  embed: async (texts) => {
    appendFileSync(new URL("asked.txt", import.meta.url), texts.map((text) => text + "\\n").join(""));
    return texts.map((text) => Float32Array.from("aeiostrl", (letter) => text.split(letter).length));
  },
};
`;

const tool = (name: string, description: string): object => ({
  name,
  description,
  inputSchema: { type: "object" },
});

async function makeEmbedded(embedder = "./embedder.mjs"): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "tools.json" } }, search: { embedder } });
  await project.write("embedder.mjs", EMBEDDER);
  await list(project, "Reads an order.");
  return project;
}

function list(project: Project, description: string): Promise<void> {
  const tools = [tool("get-order", description), tool("list-orders", "Every order.")];
  return project.write("tools.json", JSON.stringify({ tools }));
}

describe("search.embedder", () => {
  it("embeds the locked tools beside the lock, and again only what has changed", async () => {
    const project = await makeEmbedded();
    const first = await project.runJson(["pull"]);
    expect(first.document).toMatchObject({ files: { vectors: { embedded: 2, kept: 0 } } });
    expect(await project.read("asked.txt")).toBe("get order. Reads an order.\nlist orders. Every order.\n");
    const before = JSON.parse(await project.read(VECTORS)) as { vectors: object };
    expect(before).toMatchObject({ vectorsVersion: 1, embedder: "letters@1", dimensions: 8 });

    const again = await project.runJson(["generate"]);
    expect(again.document).toMatchObject({ vectors: { embedded: 0, kept: 2 } });
    expect(await project.run(["check", "--offline"])).toMatchObject({ exitCode: 0 });

    await list(project, "Reads one order of a customer.");
    const { stdout } = await project.run(["pull"]);
    expect(stdout).toContain("mcp-codegen.vectors.json: 1 tool embedded, 1 unchanged");
    const after = JSON.parse(await project.read(VECTORS)) as { vectors: object };
    const kept = Object.keys(after.vectors).filter((digest) => Object.hasOwn(before.vectors, digest));
    expect([Object.keys(after.vectors).length, kept.length]).toEqual([2, 1]);
  });

  it("lets check say that vectors are missing or old, without the embedder, and generate mend it", async () => {
    const project = await makeEmbedded();
    await project.run(["pull"]);
    const text = await project.read(VECTORS);
    await project.write("embedder.mjs", "throw new Error('not to be loaded')");

    await project.write(VECTORS, "{}");
    const missing = await project.runJson(["check", "--offline"]);
    expect(missing.document).toMatchObject({ exitCode: 1, stale: [{ path: VECTORS, state: "missing" }] });

    const vectors = JSON.parse(text) as { vectors: { [digest: string]: string } };
    const [first] = Object.entries(vectors.vectors);
    await project.write(
      VECTORS,
      JSON.stringify({ ...vectors, vectors: Object.fromEntries(first ? [first] : []) }),
    );
    const stale = await project.runJson(["check", "--offline"]);
    expect(stale.document).toMatchObject({ exitCode: 1, stale: [{ path: VECTORS, state: "stale" }] });
  });

  it("writes the same bytes again", async () => {
    const project = await makeEmbedded();
    await project.run(["pull"]);
    const text = await project.read(VECTORS);
    await project.write(VECTORS, "<<<<<<< ours");
    await project.run(["generate"]);
    expect(await project.read(VECTORS)).toBe(text);
  });

  it.each([
    [
      "throws",
      'export default { id: "x", dimensions: 8, embed: () => { throw new Error("quota") } };',
      3,
      "quota",
    ],
    [
      "gives other vectors than announced",
      'export default { id: "x", dimensions: 8, embed: async () => [new Float32Array(3)] };',
      3,
      "3 numbers",
    ],
    ["is none", "export default 42;", 2, "is no embedder"],
  ])("that %s is told of; lock and files are written", async (_, module, exitCode, message) => {
    const project = await makeEmbedded("./other.mjs");
    await project.write("other.mjs", module);
    const outcome = await project.run(["pull"]);
    expect([outcome.exitCode, outcome.stderr]).toEqual([exitCode, expect.stringContaining(message)]);
    expect(await project.paths()).toContain("mcp-codegen.lock.json");
    expect(await project.paths()).not.toContain(VECTORS);
  });

  it("that is neither ours nor a path is refused", async () => {
    const project = await makeEmbedded("openai");
    const { exitCode, stderr } = await project.run(["pull"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('"openai" is neither')]);
  });
});
