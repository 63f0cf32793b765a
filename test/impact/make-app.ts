import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.js";
import { makeProject, type Project } from "../e2e/make-project.js";
import { linkPackages } from "../e2e/user-project.js";
import { fixtureCommand } from "../servers/start-fixture.js";

const APP = fileURLToPath(new URL("app/", import.meta.url));

export interface App extends Project {
  /** Runs `check --impact` after the server has drifted. */
  readonly checkImpact: (drift: string, argv?: readonly string[]) => Promise<JsonObject>;
  /** Writes a file and its folders. */
  readonly put: (path: string, text: string) => Promise<void>;
  readonly edit: (path: string, change: (text: string) => string) => Promise<void>;
}

/** Creates the application in `app/`, or one with the given files, with the tools of `drifted` pulled. */
export async function makeApp(
  files?: { readonly [path: string]: string },
  settings: object = {},
): Promise<App> {
  const command = { ...fixtureCommand("drifted"), env: { DRIFT: "${DRIFT:-none}" }, ...settings };
  const project = await makeProject({ servers: { shop: command } });
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(project.dir, path)), { recursive: true });
    await project.write(path, text);
  };
  await linkPackages(project.dir);
  if (files === undefined) await cp(APP, project.dir, { recursive: true });
  else for (const [path, text] of Object.entries(files)) await put(path, text);
  const { exitCode, stderr } = await project.run(["pull"]);
  if (exitCode !== 0) throw new Error(`pull ended with ${exitCode}: ${stderr}`);
  return {
    ...project,
    put,
    edit: async (path, change) => {
      const at = join(project.dir, path);
      await writeFile(at, change(await readFile(at, "utf8")));
    },
    checkImpact: async (drift, argv = []) => {
      const { document, stderr: told } = await project.runJson(["check", "--impact", ...argv], {
        DRIFT: drift,
      });
      if (document["report"] !== "check") throw new Error(told);
      const json: unknown = document;
      if (!isJsonObject(json)) throw new Error("The document is not an object.");
      return json;
    },
  };
}

/** Returns the call sites of a check's changes by rule, one line each. */
export function callSites(document: JsonObject): { readonly [rule: string]: readonly string[] } {
  return Object.fromEntries(
    objects(document["changes"])
      .filter(({ tool }) => tool !== undefined)
      .map((change) => [
        textOf(change["rule"]),
        objects(change["callSites"]).map(
          ({ file, line, says, effect }) =>
            `${textOf(file)}:${textOf(line)} ${textOf(says)} [${textOf(effect)}]`,
        ),
      ]),
  );
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value);
}
