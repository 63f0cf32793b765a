import { createHash } from "node:crypto";
import { get, type IncomingMessage } from "node:http";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { findOwn, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import { diffLines } from "../../../src/report/page/browser/side-by-side.js";
import { createSearch } from "../../../src/report/page/browser/search-tools.js";
import { describePageTools } from "../../../src/report/page/page-tools.js";
import { readLiveSchema } from "../../../src/schema/interpret/live-schema.js";
import { findIssues } from "../../../src/schema/validation/schema.js";
import { lockOf } from "../../emit/golden-cases.js";
import { commitAll } from "../../e2e/git.js";
import { LOCKFILE_NAME, makeProject, type Project } from "../../e2e/make-project.js";
import { runCommand } from "../../cli/run-command.js";
import { addressInPage } from "../../../src/report/page/page-data.js";
import { HOSTILE as HOSTILE_TEXTS, hostileFindings } from "../fixtures.js";
import { CHANGES, HOSTILE, hostileTools, makeTools, VERSIONS, writePage } from "./pages.js";
import { textOfPage } from "./run-page.js";

/** The JSON in a page. */
function dataOf(html: string): JsonValue {
  const json = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? "null";
  return JSON.parse(json) as JsonValue;
}

async function makeShop(): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "tools.json" } } });
  await project.write("tools.json", JSON.stringify({ tools: makeTools(7) }));
  await project.run(["pull"]);
  return project;
}

describe("a page with a hostile name, without a browser", () => {
  const HASHES = ["", "#/changes", "#shop", "#shop/get_order"];

  it.each([...HOSTILE, ...HOSTILE_TEXTS, "\udc00", "\ud800\ud800", "%uD800"])(
    "shows the other tools beside %j",
    async (name) => {
      const servers = { shop: [...makeTools(3), { name, inputSchema: { type: "object" } }] };
      const { changes } = hostileFindings(name);
      const { html } = await writePage({ servers, findings: { changes: [...changes, ...CHANGES] } });
      for (const hash of HASHES) expect(textOfPage(html, hash)).toContain("get_order");
      expect(textOfPage(html, "#/changes")).toContain("passes `limit: 100`".replaceAll("`", ""));
      const shown = textOfPage(html, addressInPage("shop", name));
      expect(shown).not.toContain("This page has nothing");
    },
  );

  it("has no character in its file that a terminal acts on", async () => {
    const controls = Array.from({ length: 0x20 }, (_, index) => String.fromCodePoint(index, 0x80 + index));
    const name = [
      ...controls,
      "\u007f\u061c\u200b\u200e\u2028\u2029\u202e\u2066\u2069\ufeff\ud800\u{e0041}",
    ].join("");
    const servers = { shop: [...makeTools(1), { name, description: name, inputSchema: { type: "object" } }] };
    const { html } = await writePage({ servers, findings: { changes: hostileFindings(name).changes } });
    expect(html.replaceAll(/[\n\t]/g, "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(JSON.stringify(dataOf(html))).toContain(JSON.stringify(name).slice(1, -1));
  });

  it("has an address of its own for each name", () => {
    const names = ["a", "\ud800", "\udc00", "%uD800", "%25uD800", "\ufffd", "\ud800\udc00", "\ud800\ud800"];
    expect(new Set(names.map((name) => addressInPage("shop", name))).size).toBe(names.length);
  });
});

describe("page", () => {
  it("writes one file, with the calls of generated code", async () => {
    const project = await makeShop();
    const { document } = await project.runJson(["page"]);
    expect(document).toMatchObject({ report: "page", file: "mcp-codegen.html", servers: 1, tools: 7 });
    const html = await project.read("mcp-codegen.html");
    expect(document["bytes"]).toBe(Buffer.byteLength(html));
    expect(html.match(/https?:\/\//g)?.length ?? 0).toBe(html.match(/http:\/\/www\.w3\.org/g)?.length);
    const tools = findOwn(dataOf(html), "tools");
    const [tool] = Array.isArray(tools) ? (tools as readonly JsonValue[]) : [];
    expect(findOwn(tool, "code")).toContain('import { connect } from "./generated/shop/index.js"');
    expect(findOwn(tool, "code")).toContain("await shop.createOrder({ id: ");
    expect(findOwn(tool, "signature")).toContain("type Args = ");
    expect(findOwn(tool, "command")).toMatch(/^npx mcp-codegen call --input '\{.*\}' shop__create_order$/);
  });

  it("has the name of the package as its title, or that of the folder", async () => {
    const project = await makeShop();
    const titleOf = async (): Promise<JsonValue | undefined> => {
      await project.run(["page"]);
      return findOwn(dataOf(await project.read("mcp-codegen.html")), "title");
    };
    expect(await titleOf()).toBe(basename(project.dir));
    await project.write("package.json", JSON.stringify({ name: "@acme/shop" }));
    expect(await titleOf()).toBe("@acme/shop");
    await project.write("package.json", "{");
    expect(await titleOf()).toBe(basename(project.dir));
  });

  it("gives the same page twice, and the history from git", async () => {
    const project = await makeShop();
    const first = await project.run(["page", "--out", "a.html"]);
    expect(first.stdout).toContain("No history: ");
    await commitAll(project.dir, "First </script> tools");
    await project.write("tools.json", JSON.stringify({ tools: makeTools(6) }));
    await project.run(["pull"]);
    await commitAll(project.dir, "Fewer tools");
    await project.run(["page", "--out", "a.html"]);
    await project.run(["page", "--out", "b.html"]);
    const html = await project.read("a.html");
    expect(await project.read("b.html")).toBe(html);
    const servers = findOwn(dataOf(html), "servers");
    expect(servers).toMatchObject([
      {
        history: [
          {
            contract: "2.0.0",
            subject: "Fewer tools",
            findings: [{ tools: ["get_product"], class: "breaking" }],
          },
          { contract: "1.0.0", subject: "First </script> tools", findings: [] },
        ],
      },
    ]);
  });

  it("shows what check and diff found, on stdout and in files", async () => {
    const project = await makeShop();
    await project.write("tools.json", JSON.stringify({ tools: makeTools(6) }));
    const checked = await project.run(["check", "--format", "html", "--report", "html=report.html"]);
    expect(checked.exitCode).toBe(1);
    expect(checked.stderr).toContain("tool-removed");
    expect(checked.stdout).toBe(await project.read("report.html"));
    expect(dataOf(checked.stdout)).toMatchObject({
      title: "mcp-codegen check",
      report: { findings: [{ rules: ["tool-removed"], tools: ["get_product"], fails: true }] },
    });
    const compared = await project.run(["diff", LOCKFILE_NAME, "tools.json", "--format", "html"]);
    expect(dataOf(compared.stdout)).toMatchObject({
      tools: [],
      report: { findings: [{ class: "breaking" }] },
    });
  });

  it("holds both sides of a changed schema, of a check, a branch and a comparison", async () => {
    const project = await makeProject({ servers: { shop: { file: "tools.json" } } });
    const [before, after] = VERSIONS.map((tools) => JSON.stringify({ tools }));
    await project.write("tools.json", before ?? "");
    await project.run(["pull"]);
    await commitAll(project.dir, "Before");
    await project.write("tools.json", after ?? "");
    const schemas = (limit: number): JsonObject => ({
      inputSchema: { properties: { limit: { maximum: limit } } },
    });
    const expected = (sides: readonly string[]): JsonObject => ({
      report: { sides, schemas: [{ tool: "get_order", before: schemas(100), after: schemas(50) }] },
    });
    const { stdout } = await project.run(["check", "--format", "html"]);
    expect(dataOf(stdout)).toMatchObject(expected(["Locked", "Now"]));
    const compared = await project.run(["diff", LOCKFILE_NAME, "tools.json", "--format", "html"]);
    expect(dataOf(compared.stdout)).toMatchObject(expected(["Before", "After"]));
    await project.run(["pull"]);
    const branch = await project.run(["check", "--against", "HEAD", "--format", "html"]);
    expect(dataOf(branch.stdout)).toMatchObject(expected(["HEAD", "Now"]));
    const json = await project.run(["check", "--against", "HEAD", "--json"]);
    expect(json.stdout).not.toContain("definitionsOf");
  });

  it("holds both sides of the schema of a renamed tool", async () => {
    const project = await makeProject({ servers: { shop: { file: "tools.json" } } });
    const list = (name: string, sizes: readonly string[]): string =>
      JSON.stringify({
        tools: [
          {
            name,
            description: "Renders a scene in three dimensions and returns the address of the picture.",
            inputSchema: {
              type: "object",
              properties: { scene: { type: "string" }, size: { enum: sizes }, quality: { type: "number" } },
            },
          },
        ],
      });
    await project.write("tools.json", list("3d-render", ["a", "b"]));
    await project.run(["pull"]);
    await project.write("tools.json", list("4d-render", ["a"]));
    const { stdout } = await project.run(["check", "--format", "html"]);
    const size = (sizes: readonly string[]): JsonObject => ({
      inputSchema: { properties: { size: { enum: [...sizes] } } },
    });
    expect(dataOf(stdout)).toMatchObject({
      report: { schemas: [{ before: size(["a", "b"]), after: size(["a"]) }] },
    });
  });

  it("writes a report even if the check fails", async () => {
    const project = await makeProject({ servers: { shop: { file: "missing.json" } } });
    const { exitCode } = await project.run(["check", "--report", "html=report.html"]);
    expect(exitCode).toBeGreaterThan(1);
    expect(dataOf(await project.read("report.html"))).toMatchObject({ report: { isClean: false } });
  });

  it.each([
    [["page", "--serve", "--out", "a.html"], "--out cannot be used with --serve"],
    [["page", "--port", "80"], "--port requires --serve"],
    [["page", "--serve", "--port", "99999"], "--port takes a number from 0"],
  ])("refuses %j", async (argv, message) => {
    const project = await makeShop();
    const { exitCode, stderr } = await project.run(argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it("needs a lock", async () => {
    const project = await makeProject();
    const { exitCode, stderr } = await project.run(["page"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(LOCKFILE_NAME);
  });
});

describe("the policy of a page", () => {
  it("allows only its own script and style, and no request", async () => {
    const { html } = await writePage({ servers: { shop: makeTools(3) } });
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|connect-src|\*/);
    for (const [tag, directive] of [
      ["script", "script-src"],
      ["style", "style-src"],
    ] as const) {
      const [, body = ""] = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(html) ?? [];
      const hash = createHash("sha256").update(body).digest("base64");
      expect(policy).toContain(`${directive} 'sha256-${hash}';`);
    }
    expect(html.replace(/<script.*?<\/script>/gs, "")).not.toMatch(/\son\w+=|style=/);
  });

  it("keeps hostile texts in its data", async () => {
    const { html } = await writePage({ servers: { shop: hostileTools() } });
    expect(html.match(/<\/script>/g)).toHaveLength(2);
    expect(html).not.toContain("<img");
    const tools = findOwn(dataOf(html), "tools");
    const names = Array.isArray(tools)
      ? (tools as readonly JsonValue[]).map((tool) => findOwn(tool, "name"))
      : [];
    expect(new Set(names)).toEqual(new Set(HOSTILE));
  });
});

describe("page --serve", () => {
  it("answers only its own host, and sends an event when the lock changes", async () => {
    const project = await makeShop();
    const abort = new AbortController();
    const port = String(20_000 + (process.pid % 20_000));
    const running = runCommand(["page", "--serve", "--port", port], {
      cwd: project.dir,
      signal: abort.signal,
    });
    const request = (path: string, headers = {}): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        get({ host: "127.0.0.1", port, path, headers }, resolve).once("error", reject);
      });
    const events = await retry(() => request("/events"));
    const received = new Promise<string>((done) => {
      let text = "";
      events.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        if (text.includes("event: change")) done(text);
      });
    });
    expect((await request("/", { host: "evil.example" })).statusCode).toBe(403);
    expect((await request("/other")).statusCode).toBe(404);
    expect(await textOf(await request("/"))).toContain("connect-src 'self'");
    await project.write("tools.json", JSON.stringify({ tools: makeTools(3) }));
    // The watch begins after the port is open, so the lock may have to change again.
    const again = setInterval(() => {
      void project.read(LOCKFILE_NAME).then((text) => project.write(LOCKFILE_NAME, text));
    }, 300);
    await project.run(["pull"]);
    expect(await received).toContain("event: change");
    clearInterval(again);
    abort.abort("SIGINT");
    expect((await running).exitCode).toBe(130);
  });
});

async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch {
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of response.setEncoding("utf8")) chunks.push(String(chunk));
  return chunks.join("");
}

it("names the ability of a tool, its plugin and its PHP file", async () => {
  const lock = lockOf({ servers: {} }, { shop: ["acme-get-order"] });
  const [[name, server] = ["", undefined]] = Object.entries(lock.servers);
  const [[tool, locked] = ["", undefined]] = Object.entries(server?.tools ?? {});
  if (server === undefined || locked === undefined) throw new Error("The lock has no tool.");
  const ownerIn = async (file: string): Promise<unknown> => {
    const ability = { definition: { name: "acme/get-order" }, file };
    const servers = { [name]: { ...server, tools: { [tool]: { ...locked, ability } } } };
    return (await describePageTools({ ...lock, servers }, undefined))[0]?.ability;
  };
  const file = "wp-content/plugins/acme-shop/src/abilities.php";
  expect(await ownerIn(file)).toEqual({ name: "acme/get-order", plugin: "acme-shop", file });
  expect(await ownerIn("src/abilities.php")).toEqual({ name: "acme/get-order", file: "src/abilities.php" });
});

describe("the calls of a tool", () => {
  const project = { config: { servers: {} }, output: "generated" };

  it("pass an empty object to a tool without required arguments", async () => {
    const [tool] = await describePageTools(lockOf({ servers: {} }, { shop: ["list_orders"] }), project);
    expect(tool?.code).toContain("await shop.listOrders({});");
    expect(tool?.command).toBe("npx mcp-codegen call shop__list_orders");
  });

  it("have no command line if the tool's name has characters that are not shown", async () => {
    const [tool] = await describePageTools(lockOf({ servers: {} }, { shop: ["list\u200Dorders"] }), project);
    expect(tool?.name).toBe("list\u200Dorders");
    expect(tool?.command).toBeUndefined();
  });

  it("write out characters in arguments that are not shown", async () => {
    const inputSchema: JsonObject = {
      type: "object",
      properties: { id: { const: "a\u200Db" } },
      required: ["id"],
    };
    const [tool] = await describePageTools(
      lockOf({ servers: {} }, { shop: [{ name: "get", inputSchema }] }),
      project,
    );
    expect(tool?.code).toContain(String.raw`await shop.get({ id: "a\u200db" });`);
    expect(tool?.command).toBe(String.raw`npx mcp-codegen call --input '{"id":"a\u200db"}' shop__get`);
  });

  const nest = (depth: number): JsonObject =>
    depth === 0
      ? { type: "string" }
      : { type: "object", properties: { in: nest(depth - 1) }, required: ["in"] };

  it.each<[string, JsonObject]>([
    [
      "a least number of properties",
      {
        properties: { id: { type: "integer" }, name: { type: "string" } },
        required: ["id"],
        additionalProperties: false,
        minProperties: 2,
      },
    ],
    ["required text", { properties: { id: { type: "string", format: "uuid" } }, required: ["id"] }],
  ])("pass arguments that the schema accepts: %s", async (_, schema) => {
    const inputSchema: JsonObject = { type: "object", ...schema };
    const [tool] = await describePageTools(
      lockOf({ servers: {} }, { shop: [{ name: "get", inputSchema }] }),
      project,
    );
    const json = /--input '(.*)' /.exec(tool?.command ?? "")?.[1] ?? "null";
    expect(
      await findIssues(readLiveSchema(inputSchema, undefined, { formats: "assert" }), JSON.parse(json)),
    ).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ["25 nested objects", nest(25)],
    [
      "nothing fits",
      { properties: { id: { allOf: [{ type: "string" }, { type: "number" }] } }, required: ["id"] },
    ],
  ])("pass no arguments if none are known to be accepted: %s", async (_, schema) => {
    const inputSchema: JsonObject = { type: "object", ...schema };
    const [tool] = await describePageTools(
      lockOf({ servers: {} }, { shop: [{ name: "get", inputSchema }] }),
      project,
    );
    expect(tool?.code).toContain("await shop.get({ /* … */ });");
    expect(tool?.command).toBe("npx mcp-codegen call shop__get");
  });
});

describe("the search of a page", async () => {
  const tools = await describePageTools(lockOf({ servers: {} }, { shop: makeTools(48) }), undefined);
  const search = createSearch(tools);
  it.each([
    ["", 48],
    ["get_order", "get_order"],
    ["del prod", "delete_product"],
    ["ORDER refund nothing", 0],
    ["uuid", 0],
    ["custom", "get_customer"],
  ])("finds %j", (query, expected) => {
    const found = search(query);
    if (typeof expected === "number") expect(found).toHaveLength(expected);
    else expect(found[0]?.name).toBe(expected);
  });
});

describe("the difference of two texts", () => {
  it.each([
    ["100", "50", ["-100", "+50"]],
    [undefined, "a", ["+a"]],
    ["a\nb\nc", "a\nc", [" a", "-b", " c"]],
    ["1\n2\n3\n4\n5\n6\n7", "1\n2\n3\n4\n5\n6\n8", ["…", " 4", " 5", " 6", "-7", "+8"]],
  ])("of %j and %j", (before, after, expected) => {
    const lines = diffLines(before, after).map(({ sign, text }) => (text === "⋯" ? "…" : `${sign}${text}`));
    expect(lines).toEqual(expected);
  });

  it("marks whole words", () => {
    const [removed, added] = diffLines("Pages have 20 orders.", "Pages have 50 orders.");
    expect([removed?.mark, added?.mark]).toEqual([
      [11, 13],
      [11, 13],
    ]);
    const [short, long] = diffLines('"currency"', '"currencyCode"');
    expect([short?.mark, long?.mark]).toEqual([
      [1, 9],
      [1, 13],
    ]);
  });
});
