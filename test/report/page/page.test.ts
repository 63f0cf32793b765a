import { createHash } from "node:crypto";
import { get, type IncomingMessage } from "node:http";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { findOwn, type JsonValue } from "../../../src/core/json.js";
import { createSearch } from "../../../src/report/page/browser/search-tools.js";
import { describePageTools } from "../../../src/report/page/html.js";
import { lockOf } from "../../emit/golden-cases.js";
import { commitAll } from "../../e2e/git.js";
import { LOCKFILE_NAME, makeProject, type Project } from "../../e2e/make-project.js";
import { runCommand } from "../../cli/run-command.js";
import { addressInPage, readAddress } from "../../../src/report/page/page-data.js";
import type { Change } from "../../../src/core/change.js";
import { HOSTILE as HOSTILE_TEXTS, hostileFindings, judgedChange } from "../fixtures.js";
import {
  CHANGES,
  compareTools,
  dataOf,
  HOSTILE,
  hostileTools,
  makeTools,
  plainOf,
  textOfPage,
  VERSIONS,
  writePage,
} from "./pages.js";

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
      for (const hash of HASHES) expect(await textOfPage(html, hash)).toContain("get_order");
      expect(await textOfPage(html, "#/changes")).toContain("passes `limit: 100`".replaceAll("`", ""));
      const shown = await textOfPage(html, addressInPage("shop", name));
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
    const addresses = names.map((name) => addressInPage("shop", name));
    expect(new Set(addresses).size).toBe(names.length);
    expect(addresses.map(readAddress)).toEqual(addresses);
    expect(["#shop/a%62", "#shop/%"].map(readAddress)).toEqual(["#shop/ab", "#shop/%"]);
  });
});

describe("page", () => {
  it("writes one file", async () => {
    const project = await makeShop();
    const { document } = await project.runJson(["page"]);
    expect(document).toMatchObject({ report: "page", file: "mcp-codegen.html", servers: 1, tools: 7 });
    const html = await project.read("mcp-codegen.html");
    expect(document["bytes"]).toBe(Buffer.byteLength(html));
    expect(html.match(/https?:\/\//g)?.length ?? 0).toBe(html.match(/http:\/\/www\.w3\.org/g)?.length);
    expect(findOwn(dataOf(html), "tools")).toHaveLength(7);
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

  it("writes a report even if the check fails", async () => {
    const project = await makeProject({ servers: { shop: { file: "missing.json" } } });
    const { exitCode } = await project.run(["check", "--report", "html=report.html"]);
    expect(exitCode).toBeGreaterThan(1);
    expect(dataOf(await project.read("report.html"))).toMatchObject({ report: { isClean: false } });
  });

  it.each([
    [["page", "--serve", "--out", "a.html"], "--out cannot be used with --serve"],
    [["page", "--port", "80"], "--port requires --serve"],
    [["page", "--serve", "--port", "99999"], "--port takes a whole number from 0"],
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

describe("a report as a page, without JavaScript", () => {
  const viewOf = async (findings: Parameters<typeof writePage>[0]["findings"]): Promise<string> => {
    const { html } = await writePage({ servers: { shop: makeTools(12) }, findings: findings ?? {} });
    return /<div id="page">(.*)<\/div>/s.exec(html.replace(/<script.*<\/script>/s, ""))?.[1] ?? "";
  };

  it("begins with what changed, what can be done and the lines that are hit", async () => {
    const text = plainOf(
      await viewOf({
        changes: CHANGES,
        repairs: [{ does: "take it", command: "npx mcp-codegen pull shop" }],
        ways: [{ does: "let it pass", command: "npx mcp-codegen check --waive x" }],
        impact: { projects: ["tsconfig.json"], files: 3, unused: [] },
      }),
    );
    const parts = [
      "3 changes",
      "shop · 1 breaking, 1 dangerous (security) · your code: 1 line in src/orders.ts",
      "take itnpx mcp-codegen pull shop",
      "let it passnpx mcp-codegen check --waive x",
      "src/orders.ts:12 passes limit: 100 (it compiles) get_order",
      "Breaking (2)",
      "Dangerous (1)",
    ];
    const places = parts.map((part) => text.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it("lists the removed tools of a finding, and no other place", async () => {
    const { before: _before, after: _after, ...removed } = judgedChange;
    const changes = makeTools(9).map(({ name }) => ({
      ...removed,
      server: "shop",
      tool: name,
      rule: "tool-removed",
      path: "",
    }));
    const view = await viewOf({ changes });
    expect(view.match(/class="card /g)).toHaveLength(1);
    expect(/<ul class="names">(.*?)<\/ul>/s.exec(view)?.[1]?.match(/<li>/g)).toHaveLength(9);
    expect(view).not.toContain('class="diff"');
  });

  it("shows an edit that tools share once, and on the page of each tool its own edits", async () => {
    const changed = (tool: string, limit: number): Change => ({
      ...judgedChange,
      server: "shop",
      tool,
      rule: "input-default-changed",
      path: "/inputSchema/properties/limit/default",
      before: limit,
      after: 5,
    });
    const changes = [changed("get_order", 7), changed("list_order", 7)];
    expect((await viewOf({ changes })).match(/class="diff"/g)).toHaveLength(1);
    const both = [...changes, { ...changed("create_order", 9), before: "x", after: "y" }];
    const { html } = await writePage({ servers: { shop: makeTools(12) }, findings: { changes: both } });
    expect(await textOfPage(html, "#shop/list_order")).toContain("input.limit default7 → 5");
    expect(await textOfPage(html, "#shop/create_order")).not.toContain("7 → 5");
    expect(await textOfPage(html, "#shop/create_order")).toContain('"x" → "y"');
  });

  it("shows what differs in long texts, however late, with the words around it", async () => {
    const long = "word ".repeat(3_000);
    const texts = ["20", "50"].map((amount) => `${long}Pages have ${amount} orders. ${long}`);
    const [before = "", after = ""] = texts;
    const view = await viewOf({
      changes: [{ ...judgedChange, rule: "tool-description-changed", path: "/description", before, after }],
    });
    expect(view).toMatch(/have (?:<del>20 <\/del><ins>50 <\/ins>|<ins>50 <\/ins><del>20 <\/del>)orders/);
    expect(view.length).toBeLessThan(6_000);
  });

  it("has every section of a report, and names no option for the rest", async () => {
    const view = await viewOf(hostileFindings("a"));
    for (const title of ["Generated files", "Notes", "Waivers", "Not verified"])
      expect(view).toContain(title);
    expect(view).not.toContain("--json");
  });

  it("does not call a check clean that could not verify a server", async () => {
    const unverified = [{ rule: "not-verified", server: "shop", message: "No answer." }];
    const text = plainOf(await viewOf({ changes: [], unverified }));
    expect(text).toContain("No changes, but see below");
    expect(text).toContain("shop: No answer.");
  });

  it("marks the lines of the tool's schema that changed", async () => {
    const [before, after] = VERSIONS;
    const { html } = await writePage({ servers: { shop: before }, findings: compareTools(before, after) });
    const text = await textOfPage(html, "#shop/get_order");
    expect(text).toMatch(/status "open" \| "paid" \| "sent" changed/);
    expect(text).not.toMatch(/id string required changed/);
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
    let written = Promise.resolve();
    const again = setInterval(() => {
      written = written.then(async () => project.write(LOCKFILE_NAME, await project.read(LOCKFILE_NAME)));
    }, 300);
    await project.run(["pull"]);
    expect(await received).toContain("event: change");
    clearInterval(again);
    await written;
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

it("names the ability of a tool, its plugin and its PHP file", () => {
  const lock = lockOf({ servers: {} }, { shop: ["acme-get-order"] });
  const [[name, server] = ["", undefined]] = Object.entries(lock.servers);
  const [[tool, locked] = ["", undefined]] = Object.entries(server?.tools ?? {});
  if (server === undefined || locked === undefined) throw new Error("The lock has no tool.");
  const ownerIn = (file: string): unknown => {
    const ability = { definition: { name: "acme/get-order" }, file };
    const servers = { [name]: { ...server, tools: { [tool]: { ...locked, ability } } } };
    return describePageTools({ ...lock, servers })[0]?.ability;
  };
  const file = "wp-content/plugins/acme-shop/src/abilities.php";
  expect(ownerIn(file)).toEqual({ name: "acme/get-order", plugin: "acme-shop", file });
  expect(ownerIn("src/abilities.php")).toEqual({ name: "acme/get-order", file: "src/abilities.php" });
});

describe("the search of a page", () => {
  const tools = describePageTools(lockOf({ servers: {} }, { shop: makeTools(48) }));
  const search = createSearch(tools);
  it.each([
    ["", 48],
    ["get_order", "get_order"],
    ["del prod", "delete_product"],
    ["ORDER refund nothing", 0],
    ["uuid", 48],
    ["custom", "get_customer"],
  ])("finds %j", (query, expected) => {
    const found = search(query);
    if (typeof expected === "number") expect(found).toHaveLength(expected);
    else expect(found[0]?.name).toBe(expected);
  });
});
