import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openConfigFile } from "../../src/pipeline/find-config-names.js";

it("finds a name below the key that gives it its effect", async () => {
  const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-names-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const path = join(dir, "mcp-codegen.config.json");
  await writeFile(path, '{ "allow": ["two", "get"],\n  "deny": ["get"],\n  "annotations": { "get": {} } }\n');
  const file = await openConfigFile({ config: { servers: {}, output: "generated" }, path, dir });
  expect(file.path).toBe("mcp-codegen.config.json");
  const lines = (["allows", "denies", "annotates", undefined] as const).map((verb) => file.find("get", verb));
  expect(lines).toMatchObject([{ line: 1 }, { line: 2 }, { line: 3 }, { line: 1 }]);
  // A name that is only elsewhere is still found.
  expect(file.find("two", "annotates")).toMatchObject({ line: 1 });
});
