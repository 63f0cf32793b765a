import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import AjvDraft4 from "ajv-draft-04";
import addFormats from "ajv-formats";
import type { Log, Result } from "sarif";
import { describe, expect, it } from "vitest";
import { formatLockfile } from "../../src/core/lockfile-text.js";
import { ALL_RULES } from "../../src/drift/rules.js";
import type { Change } from "../../src/core/change.js";
import type { ReportContent } from "../../src/report/report-content.js";
import type { ReportPlaces } from "../../src/report/locate-findings.js";
import { showExample } from "../../src/report/print-rules.js";
import { printSarif } from "../../src/report/sarif.js";
import {
  HOSTILE,
  brokenScript,
  calledAt,
  everything,
  findings,
  hostileFindings,
  notice,
  refusal,
  renamedField,
  unknownName,
} from "./fixtures.js";

const schemaFile = createRequire(import.meta.url)
  .resolve("@microsoft/jest-sarif")
  .replace(/index\.js$/, "schemas/sarif-2.1.0-rtm.5.json");
// One pattern of the schema is not valid in Unicode mode.
const ajv = new AjvDraft4.default({ strict: false, allErrors: true, unicodeRegExp: false });
addFormats.default(ajv);
const validate = ajv.compile(JSON.parse(readFileSync(schemaFile, "utf8")) as object);

function print(found: ReportContent, places: ReportPlaces = {}): Log {
  const log = JSON.parse(printSarif(found, places, "1.2.3")) as Log;
  validate(log);
  expect(validate.errors ?? []).toEqual([]);
  return log;
}

function resultsOf(log: Log): readonly Result[] {
  return log.runs[0]?.results ?? [];
}

const inputSchema = { type: "object", properties: { title: { type: "string", maxLength: 20 } } };
const site = {
  contract: "1.0.0",
  identity: { serverInfo: { name: "site" }, protocolVersion: "2025-06-18", capabilities: {} },
  listing: { clientCapabilities: {}, pages: 1 },
  tools: { "create-post": { digest: "sha256-0", definition: { name: "create-post", inputSchema } } },
};
const lock = {
  path: "mcp-codegen.lock.json",
  text: formatLockfile({ lockfileVersion: 1, servers: { site } }),
};

describe("a report as SARIF", () => {
  it("points to the example of each rule that has one", () => {
    const changes = [...ALL_RULES.keys()].map((rule): Change => ({
      ...{ server: "site", tool: "t", path: "", rule, class: "breaking", impacts: [], security: false },
      ...{ before: "a", after: "b", fails: true, explanation: "" },
    }));
    const { rules = [] } = print(findings({ changes })).runs[0]?.tool.driver ?? {};
    expect(rules).toHaveLength(ALL_RULES.size);
    const promised = rules.filter(({ help }) => help?.text.includes("shows an example"));
    const shown = [...ALL_RULES.keys()].filter((rule) => showExample(rule).example !== undefined);
    expect(promised.map(({ id }) => id)).toEqual(shown.toSorted());
  });

  it("matches the schema of SARIF 2.1.0, which rejects an invalid report", () => {
    const log = print(everything, { lock, output: "generated" });
    expect(validate({ ...log, version: "2.0.0" })).toBe(false);
  });

  it("has the lock's line of the changed value", () => {
    const [change] = resultsOf(print(everything, { lock })).filter(
      ({ ruleId }) => ruleId === "input-bound-tightened",
    );
    const place = change?.locations?.[0]?.physicalLocation;
    expect(place?.artifactLocation).toEqual({ uri: "mcp-codegen.lock.json", uriBaseId: "%SRCROOT%" });
    const line = lock.text.split("\n")[(place?.region?.startLine ?? 0) - 1] ?? "";
    expect(line.slice((place?.region?.startColumn ?? 0) - 1, (place?.region?.endColumn ?? 0) - 1)).toBe(
      '"maxLength": 20',
    );
    expect(change).toMatchObject({ level: "error", properties: { class: "breaking", fails: true } });
  });

  it("has the fingerprints of earlier versions, by which code scanning knows its alerts", () => {
    const all = { ...everything, scripts: [brokenScript], names: [unknownName], hosts: [refusal] };
    const marks = resultsOf(print(all)).map(({ ruleId, partialFingerprints = {} }) => [
      ruleId,
      Object.values(partialFingerprints).join().slice(7, 19),
    ]);
    expect(marks).toEqual([
      ["input-bound-tightened", "3326b3bede26"],
      ["server-name-changed", "0d59c0a68e86"],
      ["tool-added", "61c450b99bb5"],
      ["not-verified", "f45a7e4742a4"],
      ["over-token-budget", "322ea83687cf"],
      ["recorded-output-invalid", "ab075abcfacd"],
      ["script-type-error", "6f0a68ea8702"],
      ["mention-unknown", "5632a28b91cb"],
      ["anthropic-property-key", "d898f7bab6c5"],
      ["generated-file-stale", "32cfb5bfb68c"],
      ["generated-file-edited", "54b0eed4ba23"],
    ]);
  });

  it("has equal fingerprints after unrelated edits, and different ones for other findings", () => {
    const marks = (found: ReportContent, text: string): readonly unknown[] =>
      resultsOf(print(found, { lock: { ...lock, text } })).map(
        ({ partialFingerprints }) => partialFingerprints,
      );
    const moved = lock.text.replace("{\n", "{\n\n\n");
    expect(marks(everything, moved)).toEqual(marks(everything, lock.text));
    expect(new Set(marks(everything, lock.text).map((mark) => JSON.stringify(mark))).size).toBe(8);
    const edited = {
      ...everything,
      changes: everything.changes.map((change) => ({ ...change, after: "again" })),
    };
    expect(marks(edited, lock.text)[0]).not.toEqual(marks(everything, lock.text)[0]);
  });

  it("has one result for a finding of several tools, with call sites and other places as related locations", () => {
    const [result, ...others] = resultsOf(print(findings({ changes: renamedField }), { lock }));
    expect(others).toEqual([]);
    expect(result?.message.text).toMatch(/^site 2 tools: create-order, refund at input\.price\.currencyCode/);
    const related = (result?.relatedLocations ?? []).map(({ physicalLocation: place, message }) => [
      ...[place?.artifactLocation?.uri, place?.region?.startLine, message?.text],
    ]);
    const says = "passes `currency`, renamed to `currencyCode`";
    expect(related).toEqual([
      ...[7, 8, 9].map((line) => ["src/desk.ts", line, says]),
      ["mcp-codegen.lock.json", expect.any(Number), "create-order input.tip.currencyCode"],
      ["mcp-codegen.lock.json", expect.any(Number), "refund input.amount.currencyCode"],
    ]);
  });

  it("counts the omitted related locations", () => {
    const [result] = resultsOf(print(findings({ changes: [calledAt(130)] }), { lock }));
    expect(result?.relatedLocations).toHaveLength(100);
    expect(result?.message.text).toContain('30 more places in the report of "--json".');
  });

  it("has the rules of its findings from the table of rules", () => {
    const rules = print(everything).runs[0]?.tool.driver.rules ?? [];
    const results = resultsOf(print(everything));
    for (const { ruleId, ruleIndex } of results) expect(rules[ruleIndex ?? -1]?.id).toBe(ruleId);
    const rule = rules.find(({ id }) => id === "input-bound-tightened");
    expect(rule?.fullDescription?.text).toContain("A limit of the input was tightened");
    expect(rule?.help?.text).toContain("npx mcp-codegen explain input-bound-tightened");
  });

  it("reports an unsuccessful run, and what was not verified", () => {
    const [invocation] = print(everything).runs[0]?.invocations ?? [];
    expect(invocation?.executionSuccessful).toBe(false);
    expect(invocation?.toolExecutionNotifications?.[0]?.message.text).toContain("refused the connection");
    expect(resultsOf(print(everything)).map(({ ruleId }) => ruleId)).toContain("not-verified");
    expect(print(findings()).runs[0]?.invocations?.[0]?.executionSuccessful).toBe(true);
  });

  it("warns of waivers without effect", () => {
    const [invocation] = print(findings({ waivers: [notice("expired", "get")] })).runs[0]?.invocations ?? [];
    expect(invocation?.toolExecutionNotifications).toEqual([
      {
        level: "warning",
        message: { text: expect.stringContaining("tool-removed for site get") as unknown },
      },
    ]);
  });

  it.each(HOSTILE)("is valid and has no links with %j", (text) => {
    const log = print(hostileFindings(text), { lock, output: "out" });
    const notifications = log.runs[0]?.invocations?.[0]?.toolExecutionNotifications ?? [];
    for (const { message } of [...resultsOf(log), ...notifications]) expect(message.text).not.toContain("](");
  });
});
