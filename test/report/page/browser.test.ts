/** Pages in a real browser: what they show, their keys, their policy and their accessibility. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { servePage } from "../../../src/cli/commands/tools/page.js";
import { addressInPage } from "../../../src/report/page/page-data.js";
import { CHROMIUM } from "../../find-program.js";
import { hostileFindings, judgedChange } from "../fixtures.js";
import { closeBrowser, openTab, type Tab } from "./browser.js";
import { CHANGES, compareTools, HOSTILE, hostileTools, makeTools, VERSIONS, writePage } from "./pages.js";

const AXE = findAxe();

function findAxe(): string | undefined {
  try {
    const path = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

const SHOP = { shop: makeTools(12), site: makeTools(6) };
/** With `SCREENSHOTS` set to a folder, the tests also write what they see. */
const SCREENSHOTS = process.env["SCREENSHOTS"];

async function snap(tab: Tab, name: string): Promise<void> {
  if (SCREENSHOTS !== undefined) await tab.screenshot(`${SCREENSHOTS}/${name}.png`);
}

const text = (selector: string): string => `document.querySelector(${JSON.stringify(selector)})?.textContent`;
const visibleRows = `[...document.querySelectorAll(".rows a .name")].map((row) => row.textContent)`;

/** Waits until an expression is true: a page shows a changed address only when it hears of it. */
async function until(tab: Tab, expression: string): Promise<void> {
  await tab.evaluate(
    `new Promise((done) => { const look = () => (${expression}) ? done(true) : requestAnimationFrame(look); look(); })`,
  );
}

const why = CHROMIUM === undefined ? " (skipped: no Chromium in PATH)" : "";

afterAll(closeBrowser);

describe.skipIf(CHROMIUM === undefined)(`a page in a browser${why}`, () => {
  it("shows overview, tools and schemas, and requests nothing", async () => {
    const tab = await openTab();
    const { url } = await writePage({ servers: SHOP });
    await tab.resize(1280, 900);
    await tab.open(url);
    expect(await tab.evaluate(text("h1"))).toBe("Tools of your MCP servers");
    expect(await tab.evaluate(text(".card"))).toContain("Tools12Destroying6");
    await snap(tab, "overview");
    await tab.evaluate(`location.hash = "#shop/get_order"`);
    await until(tab, `${text("h1")} === "get_order"`);
    expect(await tab.evaluate(text(".tree"))).toContain("uuid");
    expect(await tab.evaluate("document.title")).toBe("get_order · acme");
    await tab.evaluate(`[...document.querySelectorAll("summary")].at(-1).click()`);
    // Long lines are whole without scrolling.
    await until(
      tab,
      `[...document.querySelectorAll(".code pre")].some((pre) => pre.scrollWidth <= pre.clientWidth)`,
    );
    await snap(tab, "tool");
    await tab.open(`${url}#site/list_order`);
    expect(await tab.evaluate(text("h1"))).toBe("list_order");
    await tab.open(`${url}#site/none`);
    expect(await tab.evaluate(text(".warning"))).toContain("nothing at");
    expect(tab.incidents).toEqual([]);
  });

  it("opens a recursive schema level by level", async () => {
    const tab = await openTab();
    const { url } = await writePage({ servers: SHOP });
    await tab.open(`${url}#shop/get_order`);
    for (let depth = 0; depth < 4; depth += 1) {
      await tab.evaluate(
        `(() => { const all = [...document.querySelectorAll(".tree summary")].filter((each) => each.textContent.startsWith("parent")); all.at(-1).click(); return new Promise((done) => setTimeout(done, 60)); })()`,
      );
    }
    expect(
      await tab.evaluate(
        `[...document.querySelectorAll(".tree .key")].filter((key) => key.textContent === "parent").length`,
      ),
    ).toBeGreaterThan(3);
  });

  it("shows types and all other keywords", async () => {
    const tab = await openTab();
    const inputSchema: JsonObject = {
      type: "object",
      minProperties: 1,
      properties: {
        point: { type: "array", prefixItems: [{ type: "number" }, { type: "string" }], items: false },
        open: { type: "array", prefixItems: [{ type: "number" }], items: { type: "string" } },
        plain: { type: "string", minLength: 1, description: "A text." },
        negated: { type: "string", not: { const: "a" } },
        parts: { allOf: [{ type: "object", dependentRequired: { a: ["b"] } }] },
      },
    };
    const { url } = await writePage({ servers: { shop: [{ name: "get", inputSchema }] } });
    await tab.open(`${url}#shop/get`);
    const lines = await tab.evaluate(
      `[...document.querySelectorAll(".tree > li")].map((line) => [".key", ".type", ".limit", ".about"].map((part) => line.querySelector(part)?.textContent ?? ""))`,
    );
    expect(lines).toEqual([
      ["point", "[number, string]", "", ""],
      ["open", "[number, ...string[]]", "", ""],
      ["plain", "string", "minLength 1", "A text."],
      ["negated", "string", 'not {"const":"a"}', ""],
      ["parts", "object", 'dependentRequired {"a":["b"]}', ""],
    ]);
    expect(await tab.evaluate(text(".tree + p"))).toBe("minProperties 1");
  });

  it("wraps texts without spaces", async () => {
    const tab = await openTab();
    const long = "x".repeat(300);
    const inputSchema: JsonObject = {
      type: "object",
      properties: { [long]: { type: "string", description: long, default: long } },
    };
    const { url } = await writePage({
      servers: { shop: [{ name: "get", title: long, description: long, inputSchema }] },
      findings: {
        changes: [{ ...judgedChange, server: "shop", tool: "get", reason: long, path: `/${long}` }],
      },
    });
    for (const width of [1280, 360]) {
      await tab.resize(width, 800);
      for (const address of ["#/overview", "#shop", "#shop/get", "#/changes"]) {
        await tab.open(`${url}${address}`);
        expect(await tab.evaluate("document.documentElement.scrollWidth - innerWidth"), address).toBe(0);
      }
    }
  });

  it("searches as one types", async () => {
    const tab = await openTab();
    const { url } = await writePage({ servers: SHOP });
    await tab.open(url);
    await tab.evaluate(`document.querySelector("input").focus()`);
    await tab.type("del prod");
    await until(tab, `${visibleRows}.length === 1`);
    expect(await tab.evaluate(visibleRows)).toEqual(["delete_product"]);
    await tab.evaluate(`document.querySelector(".rows a").click()`);
    await until(tab, `${text("h1")} === "delete_product"`);
    expect(await tab.evaluate("document.activeElement.tagName")).toBe("H1");
    expect(tab.incidents).toEqual([]);
  });

  it("opens on the changes of a check, worst first, and leads to all tools", async () => {
    const tab = await openTab();
    const found = await writePage({ servers: SHOP, findings: { changes: CHANGES } });
    await tab.open(found.url);
    expect(await tab.evaluate(text("h1"))).toBe("3 changes");
    const classes = await tab.evaluate(
      `[...document.querySelectorAll(".card")].map((card) => card.className.split(" ").at(-1))`,
    );
    // The dangerous one is a security finding.
    expect(classes).toEqual(["breaking", "breaking", "dangerous"]);
    await tab.evaluate(`document.querySelector('a[href="#/overview"]').click()`);
    await until(tab, `${text("h1")} === "Tools of your MCP servers"`);
    await tab.evaluate(`document.querySelector(".brand").click()`);
    await until(tab, `${text("h1")} === "3 changes"`);
    // Without changes, there is nothing to see but the tools.
    const clean = await writePage({ servers: SHOP, findings: { changes: [] } });
    await tab.open(clean.url);
    expect(await tab.evaluate(text("h1"))).toBe("Tools of your MCP servers");
    expect(tab.incidents).toEqual([]);
  });

  it("shows changes with before and after, witness and call sites", async () => {
    const tab = await openTab();
    const { url } = await writePage({ servers: SHOP, findings: { changes: CHANGES } });
    await tab.resize(1280, 1600);
    await tab.open(`${url}#/changes`);
    const page = await tab.evaluate(text("main"));
    for (const part of ["src/orders.ts:12", "was accepted and is now rejected", "limit"])
      expect(page).toContain(part);
    expect(
      await tab.evaluate(`[...document.querySelectorAll(".card li")].map((each) => each.textContent).join()`),
    ).toContain("90 percent sure");
    await snap(tab, "changes");
    expect(
      await tab.evaluate(
        `[...document.querySelectorAll(".card.dangerous :is(del, ins)")].map((each) => each.textContent)`,
      ),
    ).toEqual(["20 ", "50 "]);
    await tab.print();
    expect(tab.incidents).toEqual([]);
  });

  it("marks tools that were removed, renamed or changed", async () => {
    const tab = await openTab();
    const rules = [
      ["get_order", "tool-removed"],
      ["list_order", "tool-renamed"],
      ["create_order", "tool-title-changed"],
    ] as const;
    const changes = rules.map(([tool, rule]) => ({ ...judgedChange, server: "shop", tool, rule, path: "" }));
    const { url } = await writePage({ servers: SHOP, findings: { changes } });
    await tab.open(url);
    expect(
      await tab.evaluate(
        `[...document.querySelectorAll(".mark")].map((mark) => mark.parentElement.title + ": " + mark.textContent)`,
      ),
    ).toEqual(["create_order: breaking", "get_order: removed", "list_order: renamed"]);
    await snap(tab, "marks");
  });

  it("says when no tool fits a search", async () => {
    const tab = await openTab();
    const { url } = await writePage({ servers: SHOP });
    await tab.open(url);
    await tab.evaluate(`document.querySelector("input").focus()`);
    await tab.type("zebra");
    await until(tab, `${text(".status")}.includes('No tool has "zebra" in its name')`);
  });

  it("has the colours that the reader prefers", async () => {
    const tab = await openTab();
    const { url } = await writePage({ servers: SHOP });
    await tab.preferDark(true);
    await tab.open(`${url}#shop/get_order`);
    const paper = `getComputedStyle(document.body).backgroundColor`;
    const dark = await tab.evaluate(paper);
    await snap(tab, "dark");
    await tab.preferDark(false);
    expect(await tab.evaluate(paper)).not.toBe(dark);
    expect(tab.incidents).toEqual([]);
  });

  it("reloads a served page at the same place", async () => {
    const tab = await openTab();
    const first = await writePage({ servers: { shop: makeTools(2) }, isServed: true });
    const second = await writePage({ servers: { shop: makeTools(3) }, isServed: true });
    const served = await servePage(first.html, 0);
    onTestFinished(served.close);
    await tab.open(`${served.url}#shop/create_order`);
    expect(await tab.evaluate(`${visibleRows}.length`)).toBe(2);
    // The browser may not wait for events yet.
    while ((await tab.evaluate(`${visibleRows}.length`).catch(() => 0)) !== 3) {
      served.replace(second.html);
      await new Promise((done) => setTimeout(done, 200));
    }
    expect(await tab.evaluate(text("h1"))).toBe("create_order");
    const requests = new Set(tab.incidents.map((each) => each.replace(/#.*$/, "")));
    requests.delete(`request ${served.url}`);
    expect([...requests]).toEqual([`request ${served.url}events`]);
  });

  it("shows hostile texts as texts", async () => {
    const tab = await openTab();
    const { url } = await writePage({ servers: { shop: hostileTools() } });
    await tab.open(url);
    expect(await tab.evaluate(`${visibleRows}.length`)).toBe(HOSTILE.length);
    for (const name of HOSTILE) {
      const address = addressInPage("shop", name);
      await tab.open(`${url}${address}`);
      const shown = name
        .replaceAll("\u202E", "\\u{202E}")
        .replaceAll("\u2066", "\\u{2066}")
        .replaceAll("\ud800", "\\u{D800}");
      expect(await tab.evaluate(text("h1"))).toBe(shown);
    }
    for (const name of HOSTILE) {
      const changed = await writePage({ servers: { shop: hostileTools() }, findings: hostileFindings(name) });
      await tab.open(`${changed.url}#/changes`);
      expect(await tab.evaluate(`document.querySelectorAll(".card").length`)).toBe(3);
      expect(await tab.evaluate(`document.querySelectorAll("main img, main script").length`)).toBe(0);
    }
    expect(await tab.evaluate("globalThis.wasHit ?? null")).toBe(null);
    expect(tab.incidents).toEqual([]);
  });

  it("links to no overview where there is none", async () => {
    const tab = await openTab();
    const { url } = await writePage({ servers: {}, findings: { changes: CHANGES } });
    await tab.open(url);
    expect(await tab.evaluate(`document.querySelectorAll(".card").length`)).toBeGreaterThan(0);
    expect(await tab.evaluate(`document.querySelectorAll('a[href="#/overview"]').length`)).toBe(0);
  });

  it("opens with 1,000 tools", async () => {
    const tab = await openTab();
    for (const amount of [7, 100, 1_000]) {
      const { url, html } = await writePage({ servers: { shop: makeTools(amount) } });
      await tab.open(url);
      const ready = await tab.evaluate(`performance.getEntriesByName("mcp-codegen-ready")[0].startTime`);
      const typing = await tab.evaluate(`(async () => {
        const field = document.querySelector("input");
        const times = [];
        for (const query of ["r", "re", "ref", "refu", "refund"]) {
          field.value = query;
          const start = performance.now();
          field.dispatchEvent(new Event("input"));
          await new Promise((done) => setTimeout(done));
          document.body.offsetHeight;
          times.push(performance.now() - start);
        }
        field.value = "";
        field.dispatchEvent(new Event("input"));
        return Math.max(...times);
      })()`);
      console.log(
        `${amount} tools: ${Math.ceil(html.length / 1000)} KB, ${Math.ceil(gzipSync(html).length / 1000)} KB gzip, ` +
          `ready in ${Math.round(Number(ready))} ms, slowest key ${Math.round(Number(typing))} ms`,
      );
      expect(await tab.evaluate(`${visibleRows}.length`)).toBeGreaterThan(0);
    }
    await snap(tab, "thousand");
    expect(tab.incidents).toEqual([]);
  });

  it.skipIf(AXE === undefined)(
    `has no accessibility violations${AXE === undefined ? " (skipped: axe-core is not installed)" : ""}`,
    async () => {
      const tab = await openTab();
      const compared = compareTools(...VERSIONS);
      const changes = [...CHANGES, ...(compared.changes ?? [])];
      const ways = [{ does: "take it", command: "npx mcp-codegen pull shop" }];
      const { url } = await writePage({ servers: SHOP, findings: { changes, ways } });
      const found: JsonValue[] = [];
      for (const [isDark, width] of [
        [false, 1280],
        [true, 1280],
        [false, 360],
        [true, 360],
      ] as const) {
        await tab.preferDark(isDark);
        await tab.resize(width, 800);
        for (const address of ["#/overview", "#/changes", "#shop", "#shop/get_order"]) {
          await tab.open(`${url}${address}`);
          await snap(tab, `axe-${isDark ? "dark" : "light"}-${width}-${address.replace(/\W/g, "")}`);
          const overflow = await tab.evaluate("document.documentElement.scrollWidth - innerWidth");
          const violations = await tab.evaluate(
            `(() => { ${AXE ?? ""}; return axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html, any }) => [html, any.map(({ message }) => message)]).slice(0, 3)])); })()`,
          );
          if (JSON.stringify(violations) !== "[]") found.push([isDark, width, address, violations ?? null]);
          if (Number(overflow) > 0)
            found.push([width, address, "is wider than the screen", overflow ?? null]);
        }
      }
      expect(found).toEqual([]);
    },
  );
});
