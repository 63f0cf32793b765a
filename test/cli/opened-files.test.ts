import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { commitAll } from "../e2e/git.js";
import { LOCKFILE_NAME, makePulled } from "../e2e/make-project.js";

const bin = fileURLToPath(new URL("../../bin/mcp-codegen.js", import.meta.url));

/** Run by `--require`: appends the path of every file that is opened for reading to `opened.txt`. */
const RECORD = `
const fs = require("node:fs");
const log = fs.openSync("opened.txt", "a");
for (const [module, names] of [[fs, ["openSync", "readFileSync"]], [fs.promises, ["open", "readFile"]]])
  for (const name of names) {
    const original = module[name];
    module[name] = (path, ...rest) => {
      if (typeof path === "string") fs.writeSync(log, path + "\\n");
      return original.call(module, path, ...rest);
    };
  }
require("node:module").syncBuiltinESMExports();
`;

it.each([
  { argv: ["check", "--offline"] },
  { argv: ["check", "--report", "sarif=report.sarif"] },
  { argv: ["check", "--waive", "mention-unknown", "--until", "2999-12-31", "--reason", "an old name"] },
  { argv: ["generate"] },
  { argv: ["pull"] },
])("$argv opens the lock and the waivers once", async ({ argv }) => {
  const project = await makePulled({
    servers: { shop: fixtureCommand("drifted") },
    policy: { focusModes: { small: { deny: [{ names: ["shop__gone"] }] } } },
  });
  await project.write("mcp-codegen.waivers.json", '{ "waivers": [] }\n');
  await project.write("record.cjs", RECORD);
  // The history of a name is read from git.
  await commitAll(project.dir);
  const env = { ...process.env, CI: "" };
  const options = { cwd: project.dir, env };
  await promisify(execFile)(process.execPath, ["--require", "./record.cjs", bin, ...argv], options).catch(
    () => undefined,
  );
  const opened = (await readFile(join(project.dir, "opened.txt"), "utf8")).split("\n");
  const count = (name: string): number => opened.filter((path) => path === join(project.dir, name)).length;
  expect(count(LOCKFILE_NAME)).toBe(1);
  expect(count("mcp-codegen.waivers.json")).toBe(1);
});
