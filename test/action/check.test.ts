/** Mode check of the Action, with the real program. */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commitAll } from "../e2e/git.js";
import { makeScratch, pullRequest } from "./run-action.js";

const CONFIG = { servers: { shop: { file: "tools.json" } }, output: false };

/** A list of tools, of which the second has these optional properties. */
function toolsWith(...names: readonly string[]): string {
  const schemaOf = (properties: readonly string[]): object => ({
    ...{
      type: "object",
      properties: Object.fromEntries(properties.map((name) => [name, { type: "string" }])),
    },
  });
  return JSON.stringify({
    tools: [
      { name: "get-order", description: "The tool get-order", inputSchema: schemaOf(["id"]) },
      { name: "list-orders", description: "The tool list-orders", inputSchema: schemaOf(names) },
    ],
  });
}

it("passes when nothing changed, and for drift fails, annotates, writes the summary and uploads findings", async () => {
  const { act, service, write } = await makeScratch(CONFIG, { "tools.json": toolsWith("page") });
  const same = await act({});
  expect(same, same.log).toMatchObject({
    exitCode: 0,
    outputs: { "exit-code": "0", changes: "0", breaking: "0" },
  });
  expect(service.writes).toEqual([]);

  await write("tools.json", toolsWith());
  const { exitCode, outputs, log, summary } = await act({ sarif: "true" });
  expect(exitCode, log).toBe(1);
  expect(outputs).toMatchObject({ "exit-code": "1", changes: "1", breaking: "1" });
  expect(log).toMatch(/^::error .*file=mcp-codegen\.lock\.json/m);
  expect(summary).toContain("`input-property-removed`");
  expect(service.analyses).toMatchObject([
    { ref: "refs/heads/main", sarif: { runs: [{ results: [{ ruleId: "input-property-removed" }] }] } },
  ]);
  const report = JSON.parse(await readFile(outputs["report"] ?? "", "utf8")) as object;
  expect(report).toMatchObject({ report: "check", exitCode: 1 });
});

it("comments what a pull request changes, and says it for a fork only in the summary", async () => {
  const { act, dir, run, service, write } = await makeScratch(CONFIG, { "tools.json": toolsWith("page") });
  await write("tools.json", toolsWith());
  await run(["pull"]);
  await commitAll(dir, "Pull");
  const own = await act({}, pullRequest());
  expect(own.exitCode, own.log).toBe(0);
  expect(own.outputs).toMatchObject({ changes: "1", breaking: "1" });
  expect(service.comments).toMatchObject([
    { body: expect.stringContaining("input-property-removed") as string },
  ]);

  // Listing the server would fail.
  await rm(join(dir, "tools.json"));
  const fork = await act({}, pullRequest({ from: "eve/app" }));
  expect(fork.exitCode, fork.log).toBe(0);
  expect(fork.summary).toContain("input-property-removed");
  expect(service.writes).toEqual(["POST /issues/5/comments"]);
});
