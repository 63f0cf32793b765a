import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ServerSnapshot } from "../../../src/core/snapshot.js";
import { lockServer } from "../../../src/core/lock-server.js";
import type { LockedServer } from "../../../src/core/lockfile.js";
import { AGENT_FILES, formOf } from "../../../src/impact/mentions/find-names.js";
import { findToolMentions, tableOf } from "../../../src/impact/mentions/resolve-names.js";
import { CORPUS } from "./corpus.js";

function lockOf(
  names: readonly string[],
  more: Pick<ServerSnapshot, "wordpress" | "abilities"> = {},
): LockedServer {
  const snapshot = {
    server: "shop",
    identity: { serverInfo: {}, protocolVersion: "2025-11-25", capabilities: {} },
    listing: { clientCapabilities: {}, pages: 1 },
    tools: names.map((name) => ({ name, inputSchema: { type: "object" } })),
    unusable: {},
    diagnostics: [],
    ...more,
  };
  return lockServer(snapshot, undefined, { contract: "1.0.0", categoryOf: () => undefined });
}

const table = tableOf({
  servers: {
    shop: lockOf(["get_order", "list_orders", "cancel-order", "search", "orders/search", "Orders.Export"]),
    my_wp: lockOf(["content-get-post"], {
      wordpress: { profile: "0.5", route: "execute" },
      abilities: { "content-get-post": { definition: { name: "content/get-post" } } },
    }),
  },
});

/** The text without marks, and what is between them with its offset. */
function readMarks(marked: string): { readonly text: string; readonly marks: readonly string[] } {
  const marks: string[] = [];
  let text = "";
  for (const part of marked.split(/(⟨[^⟩]*⟩)/)) {
    const mark = /^⟨(.*)⟩$/.exec(part)?.[1];
    if (mark !== undefined) marks.push(`${text.length}: ${mark}`);
    text += mark ?? part;
  }
  return { text, marks };
}

describe("names of tools in files that agents read", () => {
  it("are searched in the files that the docs list", () => {
    const [, section = ""] = readFileSync("docs/daily.md", "utf8").split("## Files that agents read");
    const [, list = ""] = /^The files are ([^]*?)\.$/m.exec(section) ?? [];
    expect([...list.matchAll(/`([^`]+)`/g)].map(([, glob]) => glob)).toEqual(AGENT_FILES);
  });

  it.each(CORPUS)("%s: %j", (path, marked) => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(40);
    const { text, marks } = readMarks(marked);
    const found = findToolMentions(text, formOf(path), table).map(
      ({ offset, tool, text: whole }) => `${offset + tool.length - whole.length}: ${whole}`,
    );
    expect(found).toEqual(marks);
  });

  it.each([
    ["5 MB of one line", "a`b ".repeat(1_300_000)],
    ["many names", "mcp__shop__x ".repeat(100_000)],
    ["deep front matter", `---\n${"- ".repeat(200_000)}\n---\n`],
    ["brackets without an end", `---\ntools: ${"[".repeat(200_000)}\n---\n`],
    ["back quotes", "`".repeat(1_000_000)],
    ["lists of words", `mcp__shop__${"{a,".repeat(300_000)} ${"mcp__shop__{a,b}".repeat(50_000)}`],
    ["stars", `mcp__shop__${"*a".repeat(500_000)}`],
    ["underscores", `mcp__shop__${"_".repeat(1_000_000)}`],
  ])("reads %s in time that grows with the size", (_name, text) => {
    expect(Array.isArray(findToolMentions(text, "markdown", table))).toBe(true);
  });
});
