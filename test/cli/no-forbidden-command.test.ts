/** For any policy, neither a command nor `serve` calls or shows a tool that `decide` forbids. */
import { createServer } from "node:http";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { configuredCategory } from "../../src/config/match-tools.js";
import { omitUndefined } from "../../src/core/collections.js";
import { getOwn } from "../../src/core/json.js";
import { toolPolicyOf, WRITES_VARIABLE } from "../../src/project/tool-policy.js";
import { decide } from "../../src/core/decide.js";
import { openToolset } from "../../src/serve/open-toolset.js";
import { anyOptions, markOf, useMetaTools, type Answer } from "../core/any-policy.js";
import { makePulled, type Project } from "../e2e/make-project.js";

const SHOP_TOOLS = [
  { name: "get-post", annotations: { readOnlyHint: true } },
  { name: "list_posts" },
  { name: "add.post", annotations: { destructiveHint: false } },
  { name: "delete-post", annotations: { destructiveHint: true } },
  { name: "test_all", annotations: { readOnlyHint: true } },
];

interface Params {
  readonly name?: string;
  readonly protocolVersion?: string;
}

interface Shop {
  readonly url: string;
  /** Names of the called tools. */
  readonly called: Set<string>;
}

/** Starts a server with those tools. */
async function openShop(): Promise<Shop> {
  const called = new Set<string>();
  const tools = SHOP_TOOLS.map((tool) => {
    return { ...tool, description: markOf(tool), inputSchema: { type: "object" } };
  });
  const answer = (method: string, { name = "", protocolVersion }: Params): object => {
    if (method === "tools/list") return { tools };
    const serverInfo = { name: "shop", version: "1.0.0" };
    if (method === "initialize") return { protocolVersion, capabilities: { tools: {} }, serverInfo };
    called.add(name);
    return { content: [{ type: "text", text: "done" }] };
  };
  const http = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method, params } = JSON.parse(Buffer.concat(parts).toString()) as {
        readonly id?: number;
        readonly method: string;
        readonly params: Params;
      };
      if (id === undefined) return response.writeHead(202).end();
      const outcome = ["initialize", "tools/list", "tools/call"].includes(method)
        ? { result: answer(method, params) }
        : { error: { code: -32601, message: "unknown" } };
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const address = http.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port ?? 0}/mcp`, called };
}

type Variables = { readonly [name: string]: string };

/** Tries to find, describe and call every tool, and returns all output. */
const WAYS: Readonly<Record<string, (project: Project, env: Variables) => Promise<string>>> = {
  "the command line": async (project, env) => {
    let shown = "";
    for (const { name } of SHOP_TOOLS) {
      const read = [`search ${name}`, `describe ${name}`, `describe --format typescript ${name}`];
      for (const line of [...read, `call ${name} --help`, `call --yes ${name}`])
        shown += (await project.run(line, env)).stdout;
    }
    return shown;
  },
  "what serve opens": async (project, env) => {
    const toolset = await openToolset({ cwd: project.dir, variables: env });
    const names = SHOP_TOOLS.flatMap(({ name }) => [name, `shop__${name}`]);
    const categories = ["content", "users", "testing", "uncategorized"];
    try {
      const answer: Answer = (name, args) => toolset.answer(name, args);
      return JSON.stringify(await useMetaTools(answer, { names, categories }));
    } finally {
      await toolset.close();
    }
  },
};

test.each(Object.entries(WAYS))(
  "%s calls only allowed tools, and reveals nothing about hidden ones",
  async (way, use) => {
    const shop = await openShop();
    const server = { url: shop.url, categories: { "{get,list,add}*": "content", "delete*": "users" } };
    const project = await makePulled({ servers: { shop: server } });
    const variable = fc.constantFrom(undefined, "1", "0", "shop");
    await fc.assert(
      fc.asyncProperty(
        anyOptions,
        fc.boolean(),
        variable,
        async ({ annotations: asserted, ...policy }, asGuest, said) => {
          const config = {
            policy: omitUndefined({ ...policy, ...(asGuest && { role: "guest" }) }),
            servers: { shop: { ...server, ...(asserted && { tools: { annotations: asserted } }) } },
          };
          await project.configure(config);
          const env = said === undefined ? {} : { [WRITES_VARIABLE]: said };
          shop.called.clear();
          const shown = await use(project, env);
          // With `call --yes`, a person enables the writes that nothing switches off.
          const allowsWrites = way === "the command line";
          const decided = toolPolicyOf(config, (name) => getOwn(env, name), { allowsWrites });
          const decisions = SHOP_TOOLS.map((one) => {
            const category = configuredCategory(server, one.name) ?? "testing";
            return {
              name: one.name,
              ...decide({ ...one, server: "shop", category, isLocked: true }, decided),
            };
          });
          const namesOf = (those: typeof decisions): readonly string[] =>
            those.map(({ name }) => name).sort();
          expect([...shop.called].sort()).toEqual(namesOf(decisions.filter(({ isAllowed }) => isAllowed)));
          const told = decisions.filter(({ name }) => shown.includes(markOf({ name })));
          expect(namesOf(told)).toEqual(namesOf(decisions.filter(({ isVisible }) => isVisible)));
        },
      ),
      { numRuns: 12 },
    );
  },
);
