/** Types of environments in generated code; `npm run types` fails if an expected error is missing. */
import { expectTypeOf, test } from "vitest";
import { connectTools } from "../../src/codegen.js";
import type { ServerTool } from "../../src/core/tool.js";
import { toAiSdkTools } from "../../src/agent/index.js";
import { createRegistry } from "../../src/agent/registry/create-registry.js";
import { toAiSdkTool } from "../../src/agent/adapters/ai-sdk-tools.js";
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
