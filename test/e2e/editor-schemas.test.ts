/** `$schema` in the configuration, the lock and the waivers leads an editor to a schema inside the package. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import { WAIVERS_NAME } from "../../src/core/waivers.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject, type Project } from "./make-project.js";
import { linkPackages } from "./user-project.js";

const SCHEMAS = "./node_modules/mcp-codegen/docs/schemas";
const CONFIG = "mcp-codegen.config.json";

/** What an editor complains about: it reads the schema at the path that the file names. */
async function complaintsOf(project: Project, file: string): Promise<readonly unknown[]> {
  const value = JSON.parse(await project.read(file)) as JsonObject;
  const path = value["$schema"];
  if (typeof path !== "string") throw new Error(`${file} has no $schema.`);
  const schema = JSON.parse(await readFile(join(project.dir, path), "utf8")) as object;
  const validate = new Ajv2020({ strict: false, logger: false, validateFormats: false }).compile(schema);
  validate(value);
  return validate.errors ?? [];
}

async function addSchema(project: Project, file: string, schema: string): Promise<void> {
  const value = JSON.parse(await project.read(file)) as JsonObject;
  const text = JSON.stringify({ $schema: `${SCHEMAS}/${schema}`, ...value }, null, 2);
  await project.write(file, `${text}\n`);
}

it("is accepted, valid, and kept by the commands that write the file", async () => {
  const $schema = `${SCHEMAS}/config.schema.json`;
  const project = await makeProject({ $schema, servers: { shop: fixtureCommand("drifted") } });
  await linkPackages(project.dir);
  await project.run("pull");
  await addSchema(project, LOCKFILE_NAME, "lockfile.schema.json");
  const before = await project.read(LOCKFILE_NAME);
  await project.prints("check", 0);
  await project.run("pull");
  expect(await project.read(LOCKFILE_NAME)).toBe(before);
  await project.prints(["diff", LOCKFILE_NAME, LOCKFILE_NAME], 0);

  await project.writeJson(WAIVERS_NAME, { $schema: `${SCHEMAS}/waivers.schema.json`, waivers: [] });
  await project.configure({ $schema, servers: { shop: fixtureCommand("paged") } });
  await project.run("check --waive tool-added --until 2099-01-01 --reason planned");
  await project.run("pull");
  const waived = JSON.parse(await project.read(WAIVERS_NAME)) as JsonObject;
  expect(waived["waivers"]).not.toEqual([]);
  for (const file of [CONFIG, LOCKFILE_NAME, WAIVERS_NAME])
    expect(await complaintsOf(project, file), file).toEqual([]);
});
