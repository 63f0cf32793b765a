import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { CONSUMER_NAME } from "../../../src/core/consumer.js";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import { makeProject, type Project } from "../../e2e/make-project.js";
import { type ConsumerName, CONSUMERS, exportFrom, makeConsumer, readShop } from "./make-consumer.js";

const files = new Map<ConsumerName, string>();

/** The file that a consumer exports; its project is made once. */
export async function fileOf(name: ConsumerName): Promise<string> {
  const known = files.get(name);
  if (known !== undefined) return known;
  const project = await makeConsumer(name);
  await exportFrom(project, `acme-${name}`);
  const text = await project.read(CONSUMER_NAME);
  files.set(name, text);
  return text;
}

/** A provider with the locked tools of `shop.json`, and the files of its consumers. */
export async function makeProvider(names: readonly ConsumerName[] = CONSUMERS): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "tools.json" } }, output: false });
  await project.write("tools.json", await readShop());
  await project.run(["pull"]);
  await mkdir(join(project.dir, "consumers"));
  for (const name of names) await project.write(`consumers/${name}.json`, await fileOf(name));
  return project;
}

type Edit = (definitions: { readonly [tool: string]: { inputSchema: Schema; outputSchema: Schema } }) => void;
type Schema = { properties: Record<string, unknown>; required?: string[] };

export async function edit(project: Project, change: Edit): Promise<void> {
  const list = JSON.parse(await project.read("tools.json")) as {
    tools: ({ name: string } & Parameters<Edit>[0][string])[];
  };
  change(Object.fromEntries(list.tools.map((tool) => [tool.name, tool])));
  await project.write("tools.json", JSON.stringify(list));
}

export function remove(schema: Schema | undefined, name: string): void {
  if (schema === undefined) throw new Error("There is no such schema.");
  Reflect.deleteProperty(schema.properties, name);
  schema.required = (schema.required ?? []).filter((other) => other !== name);
}

export const ASK = ["--consumers", "consumers/*.json"];

/** The verdicts of a check, one line for each change and consumer. */
export async function judge(project: Project, argv: readonly string[] = ASK): Promise<readonly string[]> {
  const { document } = await project.runJson(["check", ...argv]);
  return objects(document["changes"]).flatMap((change) =>
    objects(change["consumers"]).map(
      ({ consumer, effect, says }) =>
        `${text(change["rule"])} ${text(consumer)} ${text(effect)}: ${text(says)}`,
    ),
  );
}

export function objects(value: unknown): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}

export function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Runs git in a project, with an author. */
export function git(project: Project, ...args: readonly string[]): void {
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: project.dir });
}

/** Commits all files of a project, in a new repository if it has none. */
export function commit(project: Project, message: string): void {
  git(project, "init", "-q");
  git(project, "add", "-A");
  git(project, "commit", "-qm", message);
}
