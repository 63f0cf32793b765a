/** Runs `check --impact` on the application in `app/`, which uses two tools in every way we know. */
import { describe, expect, it } from "vitest";
import { compile, runBinary } from "../e2e/user-project.js";
import { callSites, makeApp } from "./make-app.js";
import { sample } from "../sample.js";

/** The call sites by the server's change. `broken.ts` had errors before, so it is not listed. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  "input-property-removed": [
    "src/by-barrel.ts:3 passes `limit`, removed [stops-compiling]",
    "src/by-path.ts:4 passes `limit`, removed [may-be-rejected]",
    "src/connection.ts:7 passes `limit`, removed [stops-compiling]",
    "src/direct.ts:8 passes `limit`, removed [stops-compiling]",
    "src/namespaces.ts:5 passes `limit`, removed [stops-compiling]",
    "src/namespaces.ts:6 passes `limit`, removed [stops-compiling]",
    "src/plain.js:4 passes `limit`, removed [unchecked]",
    "src/wrapped.ts:6 passes `limit`, removed [may-be-rejected]",
    "src/wrapped.ts:12 passes `limit`, removed [stops-compiling]",
    "src/wrapped.ts:19 passes `limit`, removed [stops-compiling]",
  ],
  "input-property-renamed": [
    "src/by-barrel.ts:4 passes `reason`, perhaps renamed to `cancelReason` [stops-compiling]",
    "src/by-index.ts:9 passes `reason`, perhaps renamed to `cancelReason` [stops-compiling]",
    "src/connection.ts:12 passes `reason`, perhaps renamed to `cancelReason` [stops-compiling]",
    "src/destructured.ts:7 passes `reason`, perhaps renamed to `cancelReason` [stops-compiling]",
    "src/direct.ts:12 passes `reason`, perhaps renamed to `cancelReason` [stops-compiling]",
    "src/wrapped.ts:26 passes `reason`, perhaps renamed to `cancelReason` [may-be-rejected]",
  ],
  "input-required-property-added": [
    "src/by-barrel.ts:3 does not pass `shop`, now required [stops-compiling]",
    "src/by-index.ts:7 does not pass `shop`, now required [stops-compiling]",
    "src/by-path.ts:6 does not pass `shop`, now required [stops-compiling]",
    "src/connection.ts:7 does not pass `shop`, now required [stops-compiling]",
    "src/destructured.ts:6 does not pass `shop`, now required [stops-compiling]",
    "src/direct.ts:6 does not pass `shop`, now required [stops-compiling]",
    "src/lazy.ts:4 does not pass `shop`, now required [stops-compiling]",
    "src/namespaces.ts:5 does not pass `shop`, now required [stops-compiling]",
    "src/namespaces.ts:6 does not pass `shop`, now required [stops-compiling]",
    "src/plain.js:4 does not pass `shop`, now required [unchecked]",
    "src/wrapped.ts:12 does not pass `shop`, now required [stops-compiling]",
    "src/wrapped.ts:13 does not pass `shop`, now required [stops-compiling]",
    "src/wrapped.ts:19 does not pass `shop`, now required [stops-compiling]",
    "src/wrapped.ts:27 does not pass `shop`, now required [stops-compiling]",
  ],
  "input-type-changed": [
    "src/by-barrel.ts:4 passes `id`, which changed type [stops-compiling]",
    "src/by-index.ts:9 passes `id`, which changed type [stops-compiling]",
    "src/connection.ts:12 passes `id`, which changed type [stops-compiling]",
    "src/destructured.ts:7 passes `id`, which changed type [stops-compiling]",
    "src/direct.ts:12 passes `id`, which changed type [stops-compiling]",
    "src/wrapped.ts:26 passes `id`, which changed type [stops-compiling]",
  ],
  "input-enum-value-removed": [
    "src/by-index.ts:7 passes `state`, which lost an allowed value [stops-compiling]",
    'src/by-path.ts:6 passes `state`: "cancelled", now rejected [stops-compiling]',
    "src/destructured.ts:6 passes `state`, which lost an allowed value [stops-compiling]",
    "src/namespaces.ts:5 passes `state`, which lost an allowed value [stops-compiling]",
    "src/plain.js:4 passes `state`, which lost an allowed value [unchecked]",
    'src/types.ts:7 no longer compiles (`state`, which lost an allowed value): Object literal may only specify known properties, and \'cancelled\' does not exist in type \'Record<"open" | "paid", string… [stops-compiling]',
    "src/wrapped.ts:13 passes `state`, which lost an allowed value [stops-compiling]",
    "src/wrapped.ts:19 passes `state`, which lost an allowed value [stops-compiling]",
  ],
  "input-enum-value-added": [
    "src/types.ts:4 no longer compiles (`state`, which changed type): Property 'refunded' is missing in type '{ open: string; paid: string; cancelled: string; }' but required in type 'Record… [stops-compiling]",
  ],
  "input-bound-tightened": [
    'src/by-index.ts:9 passes `reason`: "The customer changed their mind about it.", now rejected [rejected]',
    "src/connection.ts:12 passes `reason`, which may now be rejected [may-be-rejected]",
    'src/destructured.ts:7 passes `reason`: "Out of stock until further notice.", now rejected [rejected]',
    "src/wrapped.ts:26 passes `reason`, which may now be rejected [may-be-rejected]",
  ],
  "input-constraint-added": [
    'src/by-index.ts:7 passes an input: {"state":"cancelled"}, now rejected [rejected]',
    'src/destructured.ts:6 passes an input: {"state":"cancelled"}, now rejected [rejected]',
    'src/lazy.ts:4 passes an input: {"state":"open"}, now rejected [rejected]',
    'src/wrapped.ts:27 passes an input: {"state":"paid"}, now rejected [rejected]',
  ],
  "output-property-removed": [
    "src/by-index.ts:7 reads `total`, removed [stops-compiling]",
    "src/destructured.ts:6 reads `total`, removed [stops-compiling]",
    "src/direct.ts:14 reads `total`, removed [stops-compiling]",
    "src/lazy.ts:4 reads `total`, removed [stops-compiling]",
    "src/types.ts:10 reads `total`, removed [stops-compiling]",
    "src/wrapped.ts:9 no longer compiles (`total`, removed): Type 'Promise<FindOrdersOutput>' is not assignable to type 'Promise<{ readonly total: number; }>'. Property 'total' is m… [stops-compiling]",
    "src/wrapped.ts:27 reads `total`, removed [stops-compiling]",
  ],
  "output-schema-removed": [
    "src/by-index.ts:7 reads `ids`, no longer declared [stops-compiling]",
    "src/by-index.ts:7 reads `total`, no longer declared [stops-compiling]",
    "src/connection.ts:8 reads `ids`, no longer declared [stops-compiling]",
    "src/destructured.ts:6 reads `total`, no longer declared [stops-compiling]",
    "src/direct.ts:10 reads `ids`, no longer declared [stops-compiling]",
    "src/direct.ts:14 reads `total`, no longer declared [stops-compiling]",
    "src/lazy.ts:4 reads `total`, no longer declared [stops-compiling]",
    "src/types.ts:2 imports `FindOrdersOutput`, removed [stops-compiling]",
    "src/wrapped.ts:9 no longer compiles: Type 'Promise<ToolContent>' is not assignable to type 'Promise<{ readonly total: number; }>'. Property 'total' is missin… [stops-compiling]",
    "src/wrapped.ts:27 reads `total`, no longer declared [stops-compiling]",
  ],
  "tool-removed": [
    "src/barrel.ts:3 imports `../generated/shop/cancel-order.js`, removed [stops-compiling]",
    "src/by-barrel.ts:1 imports `cancelOrder`, removed [stops-compiling]",
    "src/by-barrel.ts:4 calls `cancelOrder`, removed [stops-compiling]",
    "src/by-index.ts:2 imports `cancelOrder`, removed [stops-compiling]",
    "src/by-index.ts:9 calls `cancelOrder`, removed [stops-compiling]",
    "src/connection.ts:12 calls `cancelOrder`, removed [stops-compiling]",
    "src/destructured.ts:4 uses `cancelOrder`, removed [stops-compiling]",
    "src/destructured.ts:7 calls `cancelOrder`, removed [stops-compiling]",
    "src/direct.ts:2 imports `../generated/shop/cancel-order.js`, removed [stops-compiling]",
    "src/direct.ts:12 calls `cancelOrder`, removed [stops-compiling]",
    "src/wrapped.ts:2 imports `cancelOrder`, removed [stops-compiling]",
    "src/wrapped.ts:26 calls `cancelOrder`, removed [stops-compiling]",
  ],
  "tool-description-changed": [],
};

const SLOW = { timeout: 240_000 };

describe("call sites", () => {
  it("are the places that stop compiling or pass a rejected value", SLOW, async () => {
    const app = await makeApp();
    const found: Record<string, readonly string[]> = {};
    const cases = sample(Object.entries(EXPECTED), 3);
    for (const [drift] of cases) found[drift] = Object.values(callSites(await app.checkImpact(drift))).flat();
    expect(found).toEqual(Object.fromEntries(cases));
  });

  it("equal the compiler's errors after the change is accepted", SLOW, async () => {
    const app = await makeApp();
    const compiler = "node_modules/typescript-7/bin/tsc";
    const errors = async (): Promise<readonly string[]> => {
      const { stdout } = await compile(app.dir, compiler, "dist");
      return [...stdout.matchAll(/^(\S+?)\((\d+),\d+\): error/gm)].map(
        ([, file, line]) => `${file ?? ""}:${line ?? ""}`,
      );
    };
    const before = await errors();
    expect(before).toEqual(["src/broken.ts:4", "src/broken.ts:4"]);
    const drifts = ["input-required-property-added", "output-property-removed", "tool-removed"];
    for (const drift of sample(drifts, 2)) {
      const sites = callSites(await app.checkImpact(drift))[drift] ?? [];
      await app.run(["pull"], { DRIFT: drift });
      const after = (await errors()).filter((place) => !before.includes(place));
      const told = sites.filter((site) => site.endsWith(" [stops-compiling]"));
      expect(after.filter((place) => !told.some((site) => site.startsWith(`${place} `)))).toEqual([]);
      // A call of a removed tool is reported in addition to the compiler's error at the import.
      const wrong = told.filter(
        (site) => !site.includes(" calls ") && !after.includes(site.split(" ")[0] ?? ""),
      );
      expect(wrong).toEqual([]);
      await app.run(["pull"]);
    }
  });

  it("are listed by file by the real program", SLOW, async () => {
    const app = await makeApp();
    const { exitCode, stdout } = await runBinary(app.dir, ["check", "--impact"], {
      DRIFT: "input-bound-tightened",
    });
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
