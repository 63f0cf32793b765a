/** Runs the steps of action.yml as a runner does, in a scratch repository whose remote is the stub of the service. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { parse } from "yaml";
import { commitAll, git } from "../e2e/git.js";
import { makeProject, type Project } from "../e2e/make-project.js";
import { linkPackages } from "../e2e/user-project.js";
import { type HostingService, startHostingService, TOKEN } from "./hosting-service.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface ActionStep {
  readonly id?: string;
  readonly name: string;
  readonly shell: string;
  readonly run: string;
  readonly env: { readonly [name: string]: string };
}

export interface ActionFile {
  readonly inputs: { readonly [name: string]: { readonly default: string; readonly description: string } };
  readonly outputs: { readonly [name: string]: { readonly value: string; readonly description: string } };
  readonly runs: { readonly using: string; readonly steps: readonly ActionStep[] };
}

export const ACTION_TEXT = await readFile(join(ROOT, "action.yml"), "utf8");
export const ACTION = parse(ACTION_TEXT) as ActionFile;

/** What a step gets: an event with its name, and the ref that the workflow runs on. */
export interface Event {
  readonly name: string;
  readonly payload?: object;
  readonly ref?: string;
}

export const PUSH: Event = { name: "push" };

/** The event of a pull request to main, from the repository itself or from a fork. */
export function pullRequest({ from = "acme/app", by = "ada" }: { from?: string; by?: string } = {}): Event {
  return {
    name: "pull_request",
    ref: "refs/pull/5/merge",
    payload: {
      pull_request: {
        number: 5,
        user: { login: by },
        head: { ref: "topic", repo: { full_name: from } },
        base: { ref: "main", repo: { full_name: "acme/app" } },
      },
    },
  };
}

export interface ActionResult {
  readonly exitCode: number;
  readonly log: string;
  readonly outputs: { readonly [name: string]: string };
  readonly summary: string;
}

export interface Scratch extends Project {
  readonly service: HostingService;
  readonly remote: string;
  readonly act: (
    inputs: { readonly [name: string]: string },
    event?: Event,
    env?: NodeJS.ProcessEnv,
  ) => Promise<ActionResult>;
}

/** Creates a repository with the given configuration and files, pushed to `main` of its remote. */
export async function makeScratch(
  config: object,
  files: { readonly [path: string]: string } = {},
): Promise<Scratch> {
  const project = await makeProject(config);
  await linkPackages(project.dir);
  await writeFiles(project.dir, { ".gitignore": "node_modules/\n", ...files });
  const pulled = await project.run(["pull"]);
  if (pulled.exitCode !== 0) throw new Error(`pull ended with ${pulled.exitCode}: ${pulled.stderr}`);
  const outside = await makeProject();
  await makeRemote(project.dir, outside.dir);
  return publish(project, outside.dir);
}

/**
 * The same with a CommonJS program of the test in place of mcp-codegen, for what the Action itself does: it starts
 * faster. The repository is made once for the tests of a file; each call returns a copy.
 */
export function prepareStub(
  program: string,
  files: { readonly [path: string]: string } = {},
): () => Promise<Scratch> {
  let template = "";
  beforeAll(async () => {
    template = await mkdtemp(join(tmpdir(), "mcp-codegen-action-"));
    const dir = join(template, "project");
    await writeFiles(dir, {
      ".gitignore": "node_modules/\n",
      "node_modules/mcp-codegen/package.json": '{ "name": "mcp-codegen" }',
      "node_modules/mcp-codegen/bin/mcp-codegen.js": program,
      ...files,
    });
    await makeRemote(dir, join(template, "outside"));
  });
  afterAll(() => rm(template, { recursive: true, force: true }));
  return async () => {
    const [project, outside] = await Promise.all([makeProject(), makeProject()]);
    await Promise.all([
      cp(join(template, "project"), project.dir, { recursive: true }),
      cp(join(template, "outside"), outside.dir, { recursive: true }),
    ]);
    return publish(project, outside.dir);
  };
}

async function writeFiles(dir: string, files: { readonly [path: string]: string }): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
}

/** Commits the files of a folder, and clones the repository to where the service serves it. */
async function makeRemote(dir: string, outside: string): Promise<void> {
  await commitAll(dir, "Begin");
  const remote = join(outside, REMOTE);
  await mkdir(dirname(remote), { recursive: true });
  await git(dir, "clone", "--quiet", "--bare", "--template=", dir, remote);
  await git(remote, "config", "http.receivepack", "true");
}

const REMOTE = "acme/app.git";

async function publish(project: Project, outside: string): Promise<Scratch> {
  const service = await startHostingService(outside);
  await git(project.dir, "remote", "add", "origin", `${service.url}/${REMOTE}`);
  return {
    ...project,
    service,
    remote: join(outside, REMOTE),
    act: (inputs, event = PUSH, env = {}) => runAction(project, outside, service, { inputs, event, env }),
  };
}

interface Call {
  readonly inputs: { readonly [name: string]: string };
  readonly event: Event;
  readonly env: NodeJS.ProcessEnv;
}

async function runAction(
  project: Project,
  temp: string,
  service: HostingService,
  { inputs, event, env }: Call,
): Promise<ActionResult> {
  const files = {
    output: join(temp, "output"),
    summary: join(temp, "summary.md"),
    event: join(temp, "event.json"),
  };
  await Promise.all([
    writeFile(files.output, ""),
    writeFile(files.summary, ""),
    writeFile(files.event, JSON.stringify(event.payload ?? {})),
  ]);
  const runner = {
    ...{ PATH: process.env["PATH"], HOME: process.env["HOME"], WP_CORE_DIR: process.env["WP_CORE_DIR"] },
    ...{ CI: "true", GITHUB_ACTIONS: "true" },
    ...{ GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    ...{ GITHUB_WORKSPACE: project.dir, RUNNER_TEMP: temp, GITHUB_ACTION_PATH: ROOT },
    ...{
      GITHUB_REPOSITORY: "acme/app",
      GITHUB_SERVER_URL: service.url,
      GITHUB_API_URL: `${service.url}/api`,
    },
    ...{ GITHUB_EVENT_NAME: event.name, GITHUB_EVENT_PATH: files.event },
    ...{
      GITHUB_REF: event.ref ?? "refs/heads/main",
      GITHUB_SHA: await git(project.dir, "rev-parse", "HEAD"),
    },
    ...{ GITHUB_OUTPUT: files.output, GITHUB_STEP_SUMMARY: files.summary },
    ...env,
  };
  let log = "";
  let exitCode = 0;
  for (const { run } of ACTION.runs.steps) {
    const ended = await runBash(run, project.dir, { ...runner, ...variablesOf(inputs) });
    log += ended.log;
    exitCode = ended.exitCode;
    if (exitCode !== 0) break;
  }
  const set = readOutputs(await readFile(files.output, "utf8"));
  const outputs = Object.entries(ACTION.outputs).map(([name, { value }]) => {
    const source = /^\$\{\{ steps\.run\.outputs\.([\w-]+) \}\}$/.exec(value)?.[1] ?? "";
    return [name, set[source] ?? ""] as const;
  });
  return {
    ...{ exitCode, log },
    outputs: Object.fromEntries(outputs),
    summary: await readFile(files.summary, "utf8"),
  };
}

/** The variables of the step for the inputs of a workflow. */
export function variablesOf(inputs: { readonly [name: string]: string }): NodeJS.ProcessEnv {
  const unknown = Object.keys(inputs).filter((name) => !(name in ACTION.inputs));
  if (unknown.length > 0) throw new Error(`The Action has no input ${unknown.join(", ")}.`);
  const given = Object.entries(ACTION.inputs).map(
    ([name, { default: value }]) => [name, inputs[name] ?? evaluate(value, {})] as const,
  );
  const variables = ACTION.runs.steps.flatMap(({ env }) => Object.entries(env));
  return Object.fromEntries(
    variables.map(([name, text]) => [name, evaluate(text, Object.fromEntries(given))]),
  );
}

/** The value of a text with expressions; only those that action.yml uses are known. */
function evaluate(text: string, inputs: { readonly [name: string]: string }): string {
  return text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    if (expression === "github.token") return TOKEN;
    const value = inputs[/^inputs\.([\w-]+)$/.exec(expression)?.[1] ?? ""];
    if (value === undefined) throw new Error(`action.yml uses an unknown expression: ${expression}.`);
    return value;
  });
}

/** As a runner starts bash: `bash --noprofile --norc -eo pipefail`. */
function runBash(
  script: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly exitCode: number; readonly log: string }> {
  return new Promise((resolve) => {
    const args = ["--noprofile", "--norc", "-eo", "pipefail", "-c", script];
    execFile("bash", args, { cwd, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      resolve({ exitCode: typeof code === "number" ? code : -1, log: stdout + stderr });
    });
  });
}

/** Reads the file of outputs: names with values between delimiters. */
function readOutputs(text: string): { readonly [name: string]: string } {
  const found = [...text.matchAll(/^([\w-]+)<<(.+)\n([\s\S]*?)\n\2$/gm)];
  return Object.fromEntries(found.map(([, name = "", , value = ""]) => [name, value]));
}
