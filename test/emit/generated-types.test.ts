/** Types of environments, prompts and resources in generated code; `npm run types` fails if an expected error is missing. */
import { expectTypeOf, test } from "vitest";
import { connectTools } from "../../src/codegen.js";
import type { ServerTool } from "../../src/core/tool.js";
import { toAiSdkTools } from "../../src/agent/index.js";
import { createRegistry } from "../../src/agent/registry/create-registry.js";
import { toAiSdkTool } from "../../src/agent/adapters/ai-sdk-tools.js";
import type { PromptResult, ResourceResult } from "../../src/runtime/server-entry.js";
import * as library from "../golden/entries/library/index.js";
import * as posts from "../golden/posts/posts/index.js";
import * as wordpress from "../golden/wordpress/wordpress/index.js";

test("the environments of a server are a union of its names", () => {
  expectTypeOf<posts.Environment>().toEqualTypeOf<"sandbox">();
  const sandbox = posts.connect({ environment: "sandbox" });
  // @ts-expect-error -- a misspelled name
  posts.connect({ environment: "sandbx" });
  const calls = (): unknown[] => [
    posts.get({ id: 1 }, { environment: "sandbox" }),
    // @ts-expect-error -- a misspelled name
    posts.get({ id: 1 }, { environment: "sandbx" }),
    // @ts-expect-error -- a misspelled name
    sandbox.get.safe({ id: 1 }, { environment: "sandbx" }),
  ];
  expectTypeOf(calls).returns.toEqualTypeOf<unknown[]>();
});

test("tools with such a union are assignable to tools", async () => {
  expectTypeOf(posts.get).toExtend<ServerTool>();
  toAiSdkTool(posts.get);
  await toAiSdkTools(posts);
  createRegistry({ servers: [posts, posts.connect()].slice(0, 1), static: [posts.get] });
  connectTools(posts.server, { get: posts.get });
});

test("a server without environments accepts any name", () => {
  wordpress.connect({ environment: "a word for descriptions" });
  expectTypeOf(wordpress).not.toHaveProperty("Environment");
});

test("a prompt takes the arguments that it lists", () => {
  const { prompts } = library;
  expectTypeOf<library.prompts.ReviewCodeArguments>().toEqualTypeOf<{
    code: string;
    "style-guide"?: string | undefined;
  }>();
  const requests = (): Promise<PromptResult>[] => [
    prompts.reviewCode({ code: "x", "style-guide": undefined }, { environment: "staging", timeout: 1_000 }),
    prompts.reviewAgain(),
    prompts.greeting(),
    prompts.greeting({}, { timeout: 1_000 }),
    // @ts-expect-error -- a required argument
    prompts.reviewCode({ "style-guide": "x" }),
    // @ts-expect-error -- a required argument
    prompts.reviewCode(),
    // @ts-expect-error -- not a text
    prompts.reviewCode({ code: 1 }),
    // @ts-expect-error -- a misspelled name
    prompts.reviewAgain({ cod: "x" }),
    // @ts-expect-error -- a prompt without arguments
    prompts.greeting({ name: "x" }),
    // @ts-expect-error -- a misspelled environment
    prompts.greeting({}, { environment: "stagng" }),
    // @ts-expect-error -- an option of tools
    prompts.greeting({}, { onContent: () => undefined }),
  ];
  expectTypeOf(requests).returns.toEqualTypeOf<Promise<PromptResult>[]>();
});

test("a template takes its variables, and a resource nothing", () => {
  const { resources } = library;
  const reads = (): Promise<ResourceResult>[] => [
    resources.file({ path: "a" }),
    resources.issues({ owner: "o", repo: "r", labels: ["x", "y"], page: "2" }),
    resources.issues({ owner: "o", repo: "r", labels: "x" }),
    resources.readmeMd({ environment: "staging" }),
    resources.home(),
    // @ts-expect-error -- a missing variable
    resources.issues({ owner: "o" }),
    // @ts-expect-error -- a list where the template has none
    resources.file({ path: ["a"] }),
    // @ts-expect-error -- a misspelled name
    resources.file({ path: "a", pth: "b" }),
  ];
  expectTypeOf(reads).returns.toEqualTypeOf<Promise<ResourceResult>[]>();
});

test("a connection has both, and stays a source of tools", async () => {
  const connect = (): ReturnType<typeof library.connect> => library.connect({ environment: "staging" });
  expectTypeOf(connect).returns.toHaveProperty("prompts").toEqualTypeOf(library.prompts);
  expectTypeOf(connect).returns.toHaveProperty("resources").toEqualTypeOf(library.resources);
  expectTypeOf(connect).returns.toHaveProperty("ping").toEqualTypeOf(library.ping);
  await toAiSdkTools(library);
  createRegistry({ servers: [library, library.connect()].slice(0, 1) });
});
