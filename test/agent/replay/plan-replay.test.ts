import { describe, expect, test } from "vitest";
import * as z from "zod";
import { connectTools, defineTool } from "../../../src/codegen.js";
import { defineServer, type RecordedCall } from "../../../src/runtime/index.js";
import { planReplay } from "../../../src/agent/replay/make-plan.js";
import type { ReplayTarget } from "../../../src/agent/replay/plan.js";

const server = defineServer({ name: "site", contract: "1.2.0" });
const input = z.looseObject({ bad: z.never().optional() });
const NAMES = ["create-post", "update-post", "create-comment", "upload-media", "frobnicate", "note"];
const toolsOf = (names: readonly string[], on = server) =>
  Object.fromEntries(
    names.map((name) => [name, defineTool({ server: on, name, input, inputSchema: () => ({}) })] as const),
  );

const change = (
  tool: string,
  args: object,
  result: unknown = {},
  more: Partial<RecordedCall> = {},
): RecordedCall => ({
  ...{ tool, server: "site", args, result, at: "2026-01-01T00:00:00.000Z", contract: "1.2.0" },
  environment: "sandbox",
  ...more,
});

const plan = (changes: readonly RecordedCall[], target: Partial<ReplayTarget> = {}) =>
  planReplay(changes, { environment: "production", tools: toolsOf(NAMES), ...target });

/** What the last change's arguments were found to be. */
async function findings(
  changes: readonly RecordedCall[],
  target: Partial<ReplayTarget> = {},
): Promise<unknown> {
  const { steps, conflicts } = await plan(changes, target);
  const last = steps.at(-1);
  return [
    ...(last?.references.map(({ path, from, at, how }) => [how, path.join("."), from, at.join(".")]) ?? []),
    ...conflicts
      .filter(({ step }) => step === last?.number)
      .map(({ kind, argument }) => [kind, argument ?? ""]),
  ];
}

const post = change("create-post", { title: "A" }, { id: 12 });

const update = (id: unknown) => change("update-post", { id });
const again = change("create-post", { title: "B" }, { id: 12 });
const comment = change("create-comment", { post_id: 12 }, { id: 12, post_id: 12 });
const texted = change("create-post", {}, { text: '{"post":{"id":12}}', content: [] });
const chosen = change("create-post", { id: "start" }, { id: "start" });
const made = (id: string) => change("create-post", {}, { id });
const lost = change("create-post", {}, null, { outcome: "unknown" });

test.each<[what: string, changes: readonly RecordedCall[], ...found: unknown[]]>([
  ["of the same kind", [post, update(12)], ["inferred", "id", 1, "id"]],
  ["in other letters, as text", [post, change("update-post", { ID: "12" })], ["inferred", "ID", 1, "id"]],
  ["by the kind's name", [post, change("frobnicate", { post_id: 12 })], ["inferred", "post_id", 1, "id"]],
  ["in camel case", [post, change("frobnicate", { postId: 12 })], ["inferred", "postId", 1, "id"]],
  ["in a list of ids", [post, change("frobnicate", { blog_post_ids: [12] })], ["inferred", "blog_post_ids.0", 1, "id"]],
  ["in a list of things", [post, change("frobnicate", { posts: [{ id: 12 }] })], ["inferred", "posts.0.id", 1, "id"]],
  ["by the kind alone", [post, change("frobnicate", { post: 12 })], ["inferred", "post", 1, "id"]],
  ["as a parent", [post, change("create-post", { parent: 12 })], ["inferred", "parent", 1, "id"]],
  ["of an unknown kind", [post, change("frobnicate", { id: 12 })], ["ambiguous-id", "id"]],
  ["of another kind", [post, change("frobnicate", { author_id: 12 })], ["ambiguous-id", "author_id"]],
  ["with an adjective", [post, change("frobnicate", { sticky_post: 12 })], ["ambiguous-id", "sticky_post"]],
  ["as a quantity", [post, change("note", { quantity: 12, title: "12" })]],
  ["that is not an id", [post, change("note", { parent_id: 0, media_id: null, title: "" })]],
  ["of something that was there before", [update(12)], ["foreign-id", "id"]],
  ["of something in another environment", [{ ...post, environment: "staging" }, update(12)], ["foreign-id", "id"]],
  ["of something whose outcome is unknown", [lost, update(12)], ["foreign-id", "id"]],
  ["as a long text", [made("a".repeat(16)), change("note", { text: "a".repeat(16) })], ["ambiguous-id", "text"]],
  ["as a shorter text", [made("a".repeat(15)), change("note", { text: "a".repeat(15) })]],
  ["as the longest id", [made("a".repeat(200)), update("a".repeat(200))], ["inferred", "id", 1, "id"]],
  ["as no id", [made("a".repeat(201)), update("a".repeat(201))]],
  ["of another server, where nothing is guessed", [{ ...post, server: "shop" }, update(12)], ["ambiguous-id", "id"]],
  ["of two things, of which the latest counts", [post, again, update(12)], ["inferred", "id", 2, "id"]],
  ["that a call was given and answers again", [post, comment, change("frobnicate", { post_id: 12 })], ["inferred", "post_id", 1, "id"]],
  ["that a call made of the same number", [post, comment, change("frobnicate", { comment_id: 12 })], ["inferred", "comment_id", 2, "id"]],
  ["in the text of a tool without an output schema", [texted, update(12)], ["inferred", "id", 1, "post.id"]],
  ["that the caller chose", [chosen]],
  ["that the caller chose before", [chosen, update("start")]],
])("an argument that has a created thing's id %s", async (_what, changes, ...found) => { expect(await findings(changes)).toEqual(found);
}); // prettier-ignore

const media = change("upload-media", {}, { media: { guid: 5 }, url: "http://sandbox/5.jpg" });
const blocks = { blocks: [{ src: "http://sandbox/5.jpg" }] };

test.each<[references: NonNullable<ReplayTarget["references"]>, args: object, ...found: unknown[]]>([
  [{ frobnicate: { featured: "upload-media.media.guid" } }, { featured: 5 }, ["declared", "featured", 2, "media.guid"]],
  [{ frobnicate: { "blocks[].src": "upload-media.url" } }, blocks, ["declared", "blocks.0.src", 2, "url"]],
  [{ site__frobnicate: { id: ["create-comment.id", "create-post.id"] } }, { id: 12 }, ["declared", "id", 1, "id"]],
  [{ frobnicate: { id: "create-post.id" } }, { id: 13 }, ["foreign-id", "id"]],
  [{ frobnicate: { id: "same", author_id: "same" } }, { id: 12, author_id: 3 }],
])("with the declared references %j, of %j", async (references, args, ...found) => { expect(await findings([post, media, change("frobnicate", args)], { references })).toEqual(found);
}); // prettier-ignore

test.each([
  [{ "crate-post": { id: "create-post.id" } }],
  [{ "create-post": { id: "crate-post.id" } }],
  [{ "create-post": { id: "create-post" } }],
])("references to what does not exist are refused: %j", async (references) => {
  await expect(plan([post], { references })).rejects.toMatchObject({ code: "USAGE" });
});

test("references to an argument that a tool does not have are refused, with the nearest name", async () => {
  const anyOf = [{ properties: { post_id: {} } }, { properties: { lines: {} } }];
  const update = defineTool({ server, name: "update-post", input, inputSchema: () => ({ anyOf }) });
  const tools = { ...toolsOf(["create-post"]), update };
  const planned = (argument: string, recorded: object = {}) => {
    const references = { "update-post": { [argument]: "same" } };
    return plan([post, change("update-post", recorded)], { tools, references });
  };
  await expect(planned("post_idd")).rejects.toMatchObject({ code: "USAGE", hint: 'Did you mean "post_id"?' });
  for (const argument of ["post_id", "lines[].product", "lines.0"]) await planned(argument);
  await planned("author", { author: 3 });
});

describe("a plan", () => {
  test.each([
    [change("gone", {}), "tool-missing", true, false],
    [change("note", { bad: 1 }), "input-invalid", true, false],
    [change("note", {}, null, { outcome: "unknown" }), "unknown-outcome", true, true],
    [change("note", {}, {}, { environment: "production" }), "same-environment", true, true],
    [change("note", {}, {}, { contract: "1.0.0" }), "contract-differs", false, true],
    [change("note", {}, {}, { contract: "2.0.0" }), "contract-differs", true, true],
    [change("update-post", { id: 3 }), "foreign-id", true, true],
  ] as const)("says what stands against %j: %s", async (given, kind, blocks, isAcceptable) => {
    const found = await plan([given]);
    expect(found.conflicts).toMatchObject([{ kind, step: 1, blocks }]);
    expect(found.isReady).toBe(!blocks);
    expect((await plan([given], { accept: [kind] })).isReady).toBe(!blocks || isAcceptable);
    expect(await plan([given], { skip: [1] })).toMatchObject({ conflicts: [], isReady: true });
  });

  test("is not ready for an environment that the server does not have", async () => {
    const site = defineServer({ ...server, environments: { sandbox: {}, production: {} } });
    const index = toolsOf(["note"], site);
    const message = 'Server "site" has no environment "prodution". Did you mean "production"?';
    const missing = { kind: "tool-missing", message };
    const client = { callTool: () => Promise.resolve({ content: [] }) };
    for (const [tools, options, conflicts] of [
      [{ ...index, server: site }, undefined, [missing]],
      [connectTools(site, index), undefined, [missing]],
      [connectTools(site, index, { environment: "production" }), {}, []],
      [connectTools(site, index, { client }), undefined, []],
    ] as const) {
      const target = { environment: "prodution", tools, options };
      const isReady = conflicts.length === 0;
      expect(await plan([change("note", {})], target)).toMatchObject({ conflicts, isReady });
    }
  });

  test("does not skip what others need", async () => {
    const changes = [post, change("update-post", { id: 12 })];
    const conflicts = [{ kind: "source-skipped", step: 2 }];
    expect(await plan(changes, { skip: [1] })).toMatchObject({ conflicts });
    expect((await plan(changes, { skip: [1, 2] })).isReady).toBe(true);
    await expect(plan(changes, { skip: [3] })).rejects.toMatchObject({ code: "USAGE" });
  });

  test("takes the tools of several servers", async () => {
    const shop = defineServer({ name: "shop", contract: "1.2.0" });
    const tools = [toolsOf(["note"]), toolsOf(["note"], shop)];
    const changes = ["site", "shop", "x"].map((name) => change("note", {}, {}, { server: name }));
    expect((await plan(changes, { tools })).conflicts).toMatchObject([{ kind: "tool-missing", step: 3 }]);
  });
});
