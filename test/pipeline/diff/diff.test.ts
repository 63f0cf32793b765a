import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { lockServer } from "../../../src/core/lock-server.js";
import { formatLockfile } from "../../../src/core/lockfile-text.js";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { diff } from "../../../src/pipeline/diff/diff.js";
import { runs } from "../../sample.js";

const cwd = mkdtempSync(join(tmpdir(), "mcp-codegen-diff-"));
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

function write(name: string, tools: readonly ToolSnapshot[]): void {
  const snapshot = {
    server: "shop",
    identity: { serverInfo: { name: "shop" }, protocolVersion: "2025-11-25", capabilities: {} },
    listing: { clientCapabilities: {}, pages: 1 },
    tools,
    unusable: {},
    diagnostics: [],
  };
  const shop = lockServer(snapshot, undefined, { contract: "1.0.0", categoryOf: () => undefined });
  const text = formatLockfile({ lockfileVersion: 1, servers: { shop } });
  writeFileSync(join(cwd, `${name}.json`), text);
  // A lock with other formatting is read completely.
  writeFileSync(join(cwd, `${name}.min.json`), JSON.stringify(JSON.parse(text)));
}

const words = fc.uniqueArray(fc.constantFrom("orders", "order", "items", "shop", "open", "of"), {
  minLength: 1,
});
const tool = fc
  .record({
    verb: fc.constantFrom("get", "list", "cancel", "add"),
    name: words,
    description: words,
    properties: fc.uniqueArray(fc.constantFrom("shop", "page", "perPage", "order", "per_page")),
  })
  .map(({ verb, name, description, properties }): ToolSnapshot => ({
    name: [verb, ...name].join("_"),
    description: `Will ${verb} ${description.join(" ")}`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(properties.map((each) => [each, { type: "string" }])),
    },
  }));
const toolList = fc.uniqueArray(tool, { maxLength: 8, selector: ({ name }) => name });

describe("a diff of two lockfiles", () => {
  it("equals the diff of two completely read locks", async () => {
    await fc.assert(
      fc.asyncProperty(toolList, toolList, toolList, async (kept, lost, got) => {
        const others = (tools: readonly ToolSnapshot[]): readonly ToolSnapshot[] =>
          tools.filter(({ name }) => kept.every((each) => each.name !== name));
        write("before", [...kept, ...others(lost)]);
        write("after", [...kept, ...others(got)]);
        const options = { cwd, lookup: () => undefined };
        const { changes, compared } = await diff("before.json", "after.json", options);
        const whole = await diff("before.min.json", "after.min.json", options);
        expect({ changes, compared }).toEqual({ changes: whole.changes, compared: whole.compared });
      }),
      { numRuns: runs(200, 4) },
    );
  });
});
