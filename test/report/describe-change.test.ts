import { describe, expect, it } from "vitest";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { REPORT_FLAGS } from "../../src/cli/options.js";
import { applyWaivers } from "../../src/core/waivers.js";
import { digestOf } from "../../src/core/digest.js";
import type { Change } from "../../src/core/change.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { explain } from "../../src/drift/rules.js";
import type { ReportFormat } from "../../src/report/render-report.js";
import { withCauses } from "../../src/report/fold-changes.js";
import { findings } from "./fixtures.js";
import { render } from "./render.js";

async function renderChanges(format: ReportFormat, changes: readonly Change[]): Promise<string> {
  return render(
    format,
    findings({
      changes: changes.map((change) => ({ ...change, fails: true, explanation: explain(change) })),
    }),
  );
}

const names = Array.from({ length: 17 }, (_, index) => `tool_${String(index + 1).padStart(2, "0")}`);
const titled = (titleOf: (name: string, index: number) => string | undefined): readonly ToolSnapshot[] =>
  names.map((name, index) => {
    const title = titleOf(name, index);
    return { name, ...(title !== undefined && { title }) };
  });
const NONE = titled(() => undefined);
const NEW = titled((name) => `Runs ${name}`);

describe("titles of many tools", () => {
  it("are one line with the first values", async () => {
    const text = await renderChanges("text", diffTools(NONE, NEW, { server: "shop" }));
    expect(text.split("\n").slice(0, 13)).toEqual([
      "shop · 1 dangerous (in wording)",
      "",
      "  dangerous + 17 tools  17 tools have a new title [tool-title-changed]",
      "              tool_01, tool_02, tool_03, tool_04, tool_05, tool_06, tool_07, tool_08, tool_09, tool_10, … 7 more",
      ...names.slice(0, 8).map((name) => `              ${name}: "Runs ${name}"`),
      '              and 9 more: "--json" lists them all',
    ]);
  });

  it.each<[string, readonly ToolSnapshot[], readonly ToolSnapshot[], string, string]>([
    ["removed", NEW, NONE, "dangerous -", "17 tools have no title any more"],
    ["changed at any place", titled((name, index) => (index % 2 === 0 ? undefined : name.toUpperCase())), NEW, "dangerous ~", "17 tools have a new title"],
  ])("are one line if %s", async (_what, before, after, sign, says) => {
    const text = await renderChanges("text", diffTools(before, after, { server: "shop" }));
    expect(text).toContain(`  ${sign} 17 tools  ${says} [tool-title-changed]`);
    expect(text.match(/\[tool-title-changed/g)).toHaveLength(1);
  }); // prettier-ignore

  it.each(REPORT_FLAGS.format.choices.filter((format) => format !== "json"))(
    "are one finding as %s",
    async (format) => {
      const text = await renderChanges(format, diffTools(NONE, NEW, { server: "shop" }));
      if (format !== "html") expect(text).toContain("17 tools have a new title");
      const counts: { readonly [format: string]: RegExp } = {
        text: /\[tool-title-changed/g,
        markdown: /^- .*\*\*dangerous/gm,
        github: /^::error/gm,
        sarif: /"ruleId":/g,
        junit: /<failure/g,
        html: /"class":"dangerous"/g,
      };
      expect(text.match(counts[format] ?? /./)).toHaveLength(1);
      for (const name of names.slice(0, 3)) expect(text).toContain(name);
    },
  );

  it("are single changes for JSON and for waivers", () => {
    const changes = diffTools(NONE, NEW, { server: "shop" });
    expect(withCauses(changes).map(({ tool }) => tool)).toEqual(names);
    expect(new Set(withCauses(changes).map(({ cause }) => cause)).size).toBe(1);
    const waiver = {
      ...{
        rule: "tool-title-changed",
        server: "shop",
        tool: "tool_02",
        path: "/title",
        reason: "It is fine.",
      },
      digests: { after: digestOf("Runs tool_02") },
    };
    const waived = applyWaivers(changes, [waiver], { today: "2026-01-01", isJudged: () => true }).findings;
    expect(waived.filter((change) => change.waiver !== undefined).map(({ tool }) => tool)).toEqual([
      "tool_02",
    ]);
  });

  it("are apart from titles that clients do not show", async () => {
    const hidden = (title: string): ToolSnapshot => ({ name: "b", title: "B", annotations: { title } });
    const changes = diffTools(
      [{ name: "a", title: "A" }, hidden("C")],
      [{ name: "a", title: "Z" }, hidden("D")],
    );
    const text = await renderChanges("text", changes);
    expect(text).toContain('dangerous ~ a  title: "A" → "Z"');
    expect(text).toContain('safe      ~ b  annotations title: "C" → "D"');
  });
});

it("lists the titles of many properties as one finding", async () => {
  const tools = (titleOf: (name: string) => string | undefined): readonly ToolSnapshot[] =>
    ["a", "b"].map((tool) => ({
      name: tool,
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(
          names.map((name) => {
            const title = titleOf(`${tool} ${name}`);
            return [`${tool}_${name}`, { type: "string", ...(title !== undefined && { title }) }];
          }),
        ),
      },
    }));
  const changes = diffTools(tools(() => undefined), tools((name) => name)); // prettier-ignore
  expect(changes).toHaveLength(34);
  const text = await renderChanges("text", changes);
  expect(text.match(/\[input-annotation-changed, 34 places\]/g)).toHaveLength(1);
});
