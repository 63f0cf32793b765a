/** Runs `check --impact` on the application in `app/`, which uses two tools in every way we know. */
import { describe, expect, it } from "vitest";
import { compile, NEWEST, runBinary } from "../e2e/user-project.js";
import { callSites, makeApp } from "./make-app.js";
import { sample } from "../sample.js";

/** The lines of files in `src` by the server's change, and by what is said of them. `broken.ts` had errors before. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "input-property-removed": {
    "passes `limit`, removed [stops-compiling]":
      "by-barrel.ts:3 connection.ts:7 direct.ts:8 namespaces.ts:5 namespaces.ts:6 wrapped.ts:12 wrapped.ts:19",
    "passes `limit`, removed [may-be-rejected]": "by-path.ts:4 wrapped.ts:6",
    "passes `limit`, removed [unchecked]": "plain.js:4",
  },
  "input-property-renamed": {
    "passes `reason`, perhaps renamed to `cancelReason` [stops-compiling]":
      "by-barrel.ts:4 by-index.ts:9 connection.ts:12 destructured.ts:7 direct.ts:12",
    "passes `reason`, perhaps renamed to `cancelReason` [may-be-rejected]": "wrapped.ts:26",
  },
  "input-required-property-added": {
    "does not pass `shop`, now required [stops-compiling]":
      "by-barrel.ts:3 by-index.ts:7 by-path.ts:6 connection.ts:7 destructured.ts:6 direct.ts:6 lazy.ts:4 namespaces.ts:5 namespaces.ts:6 wrapped.ts:12 wrapped.ts:13 wrapped.ts:19 wrapped.ts:27",
    "does not pass `shop`, now required [unchecked]": "plain.js:4",
  },
  "input-type-changed": {
    "passes `id`, which changed type [stops-compiling]":
      "by-barrel.ts:4 by-index.ts:9 connection.ts:12 destructured.ts:7 direct.ts:12 wrapped.ts:26",
  },
  "input-enum-value-removed": {
    "passes `state`, which lost an allowed value [stops-compiling]":
      "by-index.ts:7 destructured.ts:6 namespaces.ts:5 wrapped.ts:13 wrapped.ts:19",
    'passes `state`: "cancelled", now rejected [stops-compiling]': "by-path.ts:6",
    "passes `state`, which lost an allowed value [unchecked]": "plain.js:4",
    'no longer compiles (`state`, which lost an allowed value): Object literal may only specify known properties, and \'cancelled\' does not exist in type \'Record<"open" | "paid", string… [stops-compiling]':
      "types.ts:7",
  },
  "input-enum-value-added": {
    "no longer compiles (`state`, which changed type): Property 'refunded' is missing in type '{ open: string; paid: string; cancelled: string; }' but required in type 'Record… [stops-compiling]":
      "types.ts:4",
  },
  "input-bound-tightened": {
    'passes `reason`: "The customer changed their mind about it.", now rejected [rejected]': "by-index.ts:9",
    "passes `reason`, which may now be rejected [may-be-rejected]": "connection.ts:12 wrapped.ts:26",
    'passes `reason`: "Out of stock until further notice.", now rejected [rejected]': "destructured.ts:7",
  },
  "input-constraint-added": {
    'passes an input: {"state":"cancelled"}, now rejected [rejected]': "by-index.ts:7 destructured.ts:6",
    'passes an input: {"state":"open"}, now rejected [rejected]': "lazy.ts:4",
    'passes an input: {"state":"paid"}, now rejected [rejected]': "wrapped.ts:27",
  },
  "output-property-removed": {
    "reads `total`, removed [stops-compiling]":
      "by-index.ts:7 destructured.ts:6 direct.ts:14 lazy.ts:4 types.ts:10 wrapped.ts:27",
    "no longer compiles (`total`, removed): Type 'Promise<FindOrdersOutput>' is not assignable to type 'Promise<{ readonly total: number; }>'. Property 'total' is m… [stops-compiling]":
      "wrapped.ts:9",
  },
  "output-schema-removed": {
    "reads `ids`, no longer declared [stops-compiling]": "by-index.ts:7 connection.ts:8 direct.ts:10",
    "reads `total`, no longer declared [stops-compiling]":
      "by-index.ts:7 destructured.ts:6 direct.ts:14 lazy.ts:4 wrapped.ts:27",
    "imports `FindOrdersOutput`, removed [stops-compiling]": "types.ts:2",
    "no longer compiles: Type 'Promise<ToolContent>' is not assignable to type 'Promise<{ readonly total: number; }>'. Property 'total' is missin… [stops-compiling]":
      "wrapped.ts:9",
  },
  "tool-removed": {
    "imports `../generated/shop/cancel-order.js`, removed [stops-compiling]": "barrel.ts:3 direct.ts:2",
    "imports `cancelOrder`, removed [stops-compiling]": "by-barrel.ts:1 by-index.ts:2 wrapped.ts:2",
    "calls `cancelOrder`, removed [stops-compiling]":
      "by-barrel.ts:4 by-index.ts:9 connection.ts:12 destructured.ts:7 direct.ts:12 wrapped.ts:26",
    "uses `cancelOrder`, removed [stops-compiling]": "destructured.ts:4",
  },
  "tool-description-changed": {},
};

/** Lines of call sites by what is said of them. */
function byText(sites: readonly string[]): Readonly<Record<string, string>> {
  const lines: Record<string, string[]> = {};
  for (const site of sites) {
    const [, line = "", text = ""] = /^src\/(\S+) (.*)$/.exec(site) ?? [];
    (lines[text] ??= []).push(line);
  }
  return Object.fromEntries(Object.entries(lines).map(([text, all]) => [text, all.join(" ")]));
}

describe("call sites", () => {
  it("are the places that stop compiling or pass a rejected value", async () => {
    const app = await makeApp();
    const found: Record<string, Readonly<Record<string, string>>> = {};
    const cases = sample(Object.entries(EXPECTED), 3);
    for (const [drift] of cases)
      found[drift] = byText(Object.values(callSites(await app.checkImpact(drift))).flat());
    expect(found).toEqual(Object.fromEntries(cases));
  });

  it("equal the compiler's errors after the change is accepted", async () => {
    const app = await makeApp();
    const errors = async (): Promise<readonly string[]> => {
      const { stdout } = await compile(app.dir, NEWEST, "dist");
      const places = [...stdout.matchAll(/^(\S+?)\((\d+),\d+\): error/gm)];
      return places.map(([, file, line]) => `${file ?? ""}:${line ?? ""}`);
    };
    const before = await errors();
    expect(before).toEqual(["src/broken.ts:4", "src/broken.ts:4"]);
    const drifts = ["input-required-property-added", "output-property-removed", "tool-removed"];
    for (const drift of sample(drifts, 2)) {
      const sites = callSites(await app.checkImpact(drift))[drift] ?? [];
      await app.run(["pull"], { DRIFT: drift });
      const after = (await errors()).filter((place) => !before.includes(place));
      const said = sites.filter((site) => site.endsWith(" [stops-compiling]"));
      expect(after.filter((place) => !said.some((site) => site.startsWith(`${place} `)))).toEqual([]);
      // A call of a removed tool is reported in addition to the compiler's error at the import.
      const others = said.filter((site) => !site.includes(" calls "));
      expect(others.filter((site) => !after.includes(site.split(" ")[0] ?? ""))).toEqual([]);
      await app.run(["pull"]);
    }
  });

  it("are listed by file by the real program", async () => {
    const app = await makeApp();
    const env = { DRIFT: "input-bound-tightened" };
    const { exitCode, stdout } = await runBinary(app.dir, ["check", "--impact"], env);
    expect(exitCode).toBe(1);
    const lines = stdout.split("\n").map((line) => line.trim());
    expect(lines[0]).toContain(" · your code: 4 lines in 4 files");
    expect(lines.filter((line) => line.startsWith("src/"))).toEqual([
      'src/by-index.ts:9  passes `reason`: "The customer changed their mind about it.", now rejected (it compiles)  cancel-order',
      "src/connection.ts:12  passes `reason`, which may now be rejected (it compiles)  cancel-order",
      'src/destructured.ts:7  passes `reason`: "Out of stock until further notice.", now rejected (it compiles)  cancel-order',
      "src/wrapped.ts:26  passes `reason`, which may now be rejected (it compiles)  cancel-order",
    ]);
  });
});
