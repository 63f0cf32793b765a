import { cp } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.js";
import { makeProject, type Project } from "../e2e/make-project.js";
import { linkPackages } from "../e2e/user-project.js";
import { fixtureCommand } from "../servers/start-fixture.js";

const APP = fileURLToPath(new URL("app/", import.meta.url));

export interface App extends Project {
  /** Runs `check --impact` after the server has drifted. */
  readonly checkImpact: (drift: string, argv?: readonly string[]) => Promise<JsonObject>;
}

/** Creates the application in `app/`, or one with the given files, with the tools of `drifted` pulled. */
export async function makeApp(
  files?: { readonly [path: string]: string },
  settings: object = {},
): Promise<App> {
  const command = { ...fixtureCommand("drifted"), env: { DRIFT: "${DRIFT:-none}" }, ...settings };
  const project = await makeProject({ servers: { shop: command } });
  await linkPackages(project.dir);
  if (files === undefined) await cp(APP, project.dir, { recursive: true });
  else for (const [path, text] of Object.entries(files)) await project.write(path, text);
  await project.prints("pull", 0);
  const checkImpact: App["checkImpact"] = async (drift, argv = []) => {
    const drifted = project.withEnv({ DRIFT: drift });
    const { document } = await drifted.reports(["check", "--impact", ...argv], { report: "check" });
    const json: unknown = document;
    if (!isJsonObject(json)) throw new Error("The document is not an object.");
    return json;
  };
  return { ...project, checkImpact };
}

/** Returns the call sites of a check's changes by rule, one line each. */
export function callSites(document: JsonObject): { readonly [rule: string]: readonly string[] } {
  const changes = objects(document["changes"]).filter(({ tool }) => tool !== undefined);
  const lineOf = ({ file, line, says, effect }: JsonObject): string =>
    `${textOf(file)}:${textOf(line)} ${textOf(says)} [${textOf(effect)}]`;
  return Object.fromEntries(
    changes.map(({ rule, callSites: sites }) => [textOf(rule), objects(sites).map(lineOf)]),
  );
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value);
}
