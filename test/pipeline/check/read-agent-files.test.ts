/** Which files `references` names. */
import type * as tinyglobby from "tinyglobby";
import { expect, it, vi } from "vitest";
import { readAgentFiles } from "../../../src/pipeline/check/read-agent-files.js";
import { makeProject } from "../../e2e/make-project.js";

const walks = vi.hoisted(() => [] as unknown[]);
vi.mock("tinyglobby", async (importOriginal) => {
  const original = await importOriginal<typeof tinyglobby>();
  const glob = async (patterns: string[], options: object): Promise<string[]> => {
    walks.push(patterns);
    return original.glob(patterns, options);
  };
  return { ...original, glob };
});

it.each<
  [references: readonly string[], paths: readonly string[], unmatched: readonly string[], walks: number]
>([
  [["*.md"], ["a.md", "b.md"], [], 1],
  [["b.md", "*.md"], ["a.md", "b.md"], [], 2],
  [["*.md", "!b.md"], ["a.md"], [], 1],
  [["*.md", "none/*", "b.md", "!b.md"], ["a.md"], ["none/*"], 5],
  [["!b.md"], [], [], 0],
  [[], [], [], 0],
])("of %j reads %j", async (references, paths, unmatched, count) => {
  const project = await makeProject();
  for (const name of ["a.md", "b.md", "c.txt"]) await project.write(name, "get-post");
  walks.length = 0;
  const config = { servers: {}, output: "generated", references: [...references] };
  const read = await readAgentFiles({ config, dir: project.dir, path: "" });
  expect([read.files.map(({ path }) => path), read.unmatched]).toEqual([paths, unmatched]);
  expect(walks).toHaveLength(count);
});
