import { cp, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Consumer, CONSUMER_NAME, parseConsumer } from "../../../src/core/consumer.js";
import type { JsonValue } from "../../../src/core/json.js";
import { makeProject, type Project } from "../../e2e/make-project.js";
import { linkPackages } from "../../e2e/user-project.js";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export const CONSUMERS = ["passer", "reader", "writer"] as const;
export type ConsumerName = (typeof CONSUMERS)[number];

/** Returns the list of tools that all consumers use. */
export async function readShop(): Promise<string> {
  return readFile(here("shop.json"), "utf8");
}

/** Creates the project of a consumer, with the tools of `shop.json` or other ones pulled. */
export async function makeConsumer(
  name: ConsumerName,
  settings: object = {},
  tools?: string,
): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "tools.json", ...settings } } });
  await linkPackages(project.dir);
  await cp(here(`${name}-app`), project.dir, { recursive: true });
  await project.write("tools.json", tools ?? (await readShop()));
  const { exitCode, stderr } = await project.run(["pull"]);
  if (exitCode !== 0) throw new Error(`pull ended with ${exitCode}: ${stderr}`);
  return project;
}

/** Runs `export` and returns the file. */
export async function exportFrom(project: Project, name: string): Promise<Consumer> {
  const { exitCode, stderr } = await project.run(["export", "--consumer", name]);
  if (exitCode !== 0) throw new Error(`export ended with ${exitCode}: ${stderr}`);
  return parseConsumer(JSON.parse(await project.read(CONSUMER_NAME)) as JsonValue, CONSUMER_NAME);
}
