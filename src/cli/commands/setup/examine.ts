import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { resolveEndpoint } from "../../../client/resolve-endpoint.js";
import type { ServerConfig } from "../../../config/config.js";
import { ENV_FILES } from "../../../config/variables.js";
import type { VariableLookup } from "../../../core/connection.js";
import type { Finding } from "../../../core/finding.js";
import { McpCodegenError, type MissingVariable, MissingVariablesError } from "../../../core/errors.js";
import { attributesOf } from "../../../core/generated-file.js";
import { EMPTY_LOCK, LOCKFILE_NAME } from "../../../core/lockfile.js";
import { commandToLogIn } from "../../../core/login.js";
import { isDrift } from "../../../drift/apply-policy.js";
import { findBounded } from "../../../files/read-files.js";
import { check } from "../../../pipeline/check/check.js";
import type { CheckReport } from "../../../pipeline/check/check-report.js";
import { isEdited } from "../../../report/report-content.js";
import type { Project } from "../../../project/project.js";
import type { Diagnosis } from "../../../report/documents.js";
import { count, present } from "../../../report/layout.js";
import { listIgnored, runGit } from "../../../sources/git/git.js";
import type { Context } from "../../context.js";
import { openLogins } from "../../load-project.js";
import { findUnverified, takeSnapshots } from "../../../pipeline/take-snapshots.js";
import { describeUnpinned, findUnpinned } from "../../../config/package-pins.js";
import { diagnose } from "./examine-tsconfig.js";

/** Finds variables that settings use and that are not set. Those of environments are only needed with `--env`. */
export function examineVariables({ config }: Project, lookup: VariableLookup): readonly Diagnosis[] {
  const servers = Object.entries(config.servers).filter(
    ([, { url, command }]) => (url ?? command) !== undefined,
  );
  const find = (name: string, settings: ServerConfig, environment?: string): readonly MissingVariable[] => {
    try {
      resolveEndpoint(settings, { lookup, where: `servers.${name}`, environment });
    } catch (error) {
      if (error instanceof MissingVariablesError) return error.variables;
      // Another error is that of the server.
      if (!(error instanceof McpCodegenError)) throw error;
    }
    return [];
  };
  const needed = servers.flatMap(([name, settings]) => find(name, settings));
  const others = servers.flatMap(([name, settings]) =>
    Object.keys(settings.environments ?? {}).flatMap((environment) => find(name, settings, environment)),
  );
  const rest = others.filter(({ name }) => !needed.some((variable) => variable.name === name));
  const note = (
    status: "failed" | "warning",
    variables: readonly MissingVariable[],
  ): readonly Diagnosis[] => {
    const { message, hint } = new MissingVariablesError(variables);
    return variables.length === 0 ? [] : [diagnose("variables", status, message, hint)];
  };
  return [...note("failed", needed), ...note("warning", rest)];
}

/** Finds the servers that start another version of their package without a change of the configuration. */
export async function examinePins({ config, dir }: Project): Promise<readonly Diagnosis[]> {
  const unpinned = await findUnpinned(config.servers, dir);
  return unpinned.map((server) => ({ about: "server", status: "warning", ...describeUnpinned(server) }));
}

/** Compares lock and files, and asks every server for its tools unless `isOffline`. */
export async function examineContract(project: Project, isOffline: boolean): Promise<readonly Diagnosis[]> {
  try {
    const report = await check(project, { offline: isOffline });
    return [...examineFiles(project, report), ...(isOffline ? [] : examineAnswers(project, report))];
  } catch (error) {
    if (!(error instanceof McpCodegenError)) throw error;
    // The variables are listed on their own.
    if (error instanceof MissingVariablesError) return isOffline ? [] : examineContract(project, true);
    const { code, message, hint } = error;
    const isUnlocked = code === "LOCK_NOT_FOUND" && !isOffline;
    return [
      diagnose(code.startsWith("LOCK") ? "lock" : "server", "failed", message, hint),
      ...(isUnlocked ? await examineUnlocked(project) : []),
    ];
  }
}

async function examineUnlocked(project: Project): Promise<readonly Diagnosis[]> {
  const snapshots = await takeSnapshots(project, EMPTY_LOCK, {}).catch((error: unknown) => {
    if (error instanceof MissingVariablesError) return undefined;
    throw error;
  });
  if (snapshots === undefined) return [];
  const unverified = findUnverified(snapshots);
  const answered = snapshots.outcomes.filter(({ server }) =>
    unverified.every((finding) => finding.server !== server),
  );
  return [
    ...answered.map(({ server }) => diagnose("server", "ok", `"${server}" answers.`)),
    ...unverified.map(diagnoseUnverified),
  ];
}

function diagnoseUnverified({ server = "", message = "", hint }: Finding): Diagnosis {
  return diagnose("server", "unchecked", `"${server}": ${message}`, hint);
}

function examineFiles(project: Project, { files }: CheckReport): readonly Diagnosis[] {
  const { lock, output } = project.paths;
  const edited = files.filter(isEdited);
  const stale = files.filter((file) => !isEdited(file));
  const ofLock = stale.filter(({ file }) => file === relative(project.dir, lock));
  const ofCode = stale.filter((file) => !ofLock.includes(file));
  const diagnoses = ofLock.map(
    ({ message = "The lock is out of date.", hint = 'Run "npx mcp-codegen pull".' }) =>
      diagnose("lock", "failed", message, hint),
  );
  if (diagnoses.length === 0) diagnoses.push(diagnose("lock", "ok", "The lock has every configured server."));
  if (output === undefined) return diagnoses;
  const note = (what: string, those: readonly Finding[], reason: string, fix: string): void => {
    const [first] = those;
    if (first === undefined) return;
    const such = `${count(those.length, "generated file")}, such as "${first.file ?? ""}"`;
    diagnoses.push(diagnose("code", "failed", `${what}: ${such}.${reason}`, fix));
  };
  // The first example is one with a reason.
  const ordered = ofCode.toSorted(
    (a, b) => Number(b.message !== undefined) - Number(a.message !== undefined),
  );
  const why = ordered[0]?.message === undefined ? "" : ` ${ordered[0].message}`;
  note("Out of date", ordered, why, 'Run "npx mcp-codegen generate".');
  const move = 'Move the edits elsewhere, and run "npx mcp-codegen generate --force".';
  note("Edited by hand", edited, "", move);
  if (ofCode.length + edited.length === 0)
    diagnoses.push(diagnose("code", "ok", "The generated code is up to date."));
  return diagnoses;
}

function examineAnswers({ config }: Project, report: CheckReport): readonly Diagnosis[] {
  const notesOf = (code: string): readonly Finding[] => report.notes.filter(({ rule }) => rule === code);
  const noises = notesOf("SERVER_NOISY").map(({ server = "", message = "" }) =>
    diagnose("server", "warning", `"${server}" ${message}.`, "Let the server write its log to stderr."),
  );
  const answers = Object.keys(config.servers).flatMap((server): readonly Diagnosis[] => {
    const failed = report.unverified.filter((finding) => finding.server === server);
    if (failed.length > 0) return failed.map(diagnoseUnverified);
    if (!report.checked.servers.includes(server)) return [];
    const all = report.changes.filter((change) => change.server === server);
    const changes = all.filter((change) => isDrift(change, "any")).length;
    const others = `${count(all.length, "change")} that ${all.length === 1 ? "fails" : "fail"} no check`;
    const except = all.length === 0 ? "" : `, except for ${others}`;
    if (changes === 0) return [diagnose("server", "ok", `"${server}" answers as locked${except}.`)];
    const differs = `"${server}" answers, and differs from the lock: ${count(changes, "change")}.`;
    return [diagnose("server", "warning", differs, `Run "npx mcp-codegen check ${server}".`)];
  });
  const vague = notesOf("SERVER_VAGUE").map(({ server = "", message = "" }) =>
    diagnose("server", "warning", `"${server}": ${message}`, "Ask its author for schemas."),
  );
  return [...answers, ...noises, ...vague];
}

/** Looks for the logins of servers that require one. Prints no token. */
export async function examineLogins(
  context: Context,
  { config }: Project,
  lookup: VariableLookup,
): Promise<readonly Diagnosis[]> {
  const { store } = openLogins(context.io);
  const diagnoses: Diagnosis[] = [];
  for (const [server, settings] of Object.entries(config.servers)) {
    const { auth, url } = settings;
    const fix = `Run "${commandToLogIn(server, undefined)}".`;
    if (url === undefined || auth === undefined || !("type" in auth) || "clientSecret" in auth) continue;
    try {
      const endpoint = resolveEndpoint(settings, { lookup, where: `servers.${server}` });
      if (endpoint.kind !== "http") continue;
      const login = await store.find(endpoint.url, endpoint.oauth?.issuer);
      diagnoses.push(
        login === undefined
          ? diagnose("login", "failed", `You are not logged in to "${server}".`, fix)
          : store.isExpiring(login) && login.refreshToken === undefined
            ? diagnose("login", "failed", `Your login to "${server}" has expired.`, fix)
            : diagnose("login", "ok", `You are logged in to "${server}".`),
      );
    } catch (error) {
      if (!(error instanceof McpCodegenError)) throw error;
      if (error instanceof MissingVariablesError) continue;
      diagnoses.push(diagnose("login", "failed", error.message));
    }
  }
  return diagnoses;
}

/** Examines how git and CI treat the lock and the generated code; empty outside a repository. */
export async function examineRepository(
  dir: string,
  output: string | undefined,
  envFile?: string,
): Promise<readonly Diagnosis[]> {
  const top = await runGit(dir, ["rev-parse", "--show-toplevel"]).catch(() => undefined);
  if (top?.ok !== true) return [];
  const index =
    output === undefined ? undefined : join(relative(dir, output), "index.ts").split(sep).join("/");
  const paths = [LOCKFILE_NAME, ...(index === undefined ? [] : [index])];
  // Also of files that are not written yet.
  const ignored = await listIgnored(dir, paths);
  const kept = index === undefined ? "the lock" : "the lock and the generated code";
  const names = ignored.map((path) => `"${path}"`).join(" and ");
  return [
    ignored.length === 0
      ? diagnose("git", "ok", `Git does not ignore ${kept}.`)
      : diagnose("git", "failed", `Git ignores ${names}, so CI cannot compare anything with it.`, COMMIT),
    ...(ignored.includes(LOCKFILE_NAME) ? [] : await examineLock(dir)),
    ...(index === undefined ? [] : await examineAttributes(dir, index)),
    ...(await examineEnvFiles(dir, envFile)),
    await examineCi(dir, top.text.trim()),
  ];
}

const COMMIT = "Remove the line from .gitignore, and commit the files.";

/** Whether a commit may publish the files that variables are read from. */
async function examineEnvFiles(dir: string, named: string | undefined): Promise<readonly Diagnosis[]> {
  const paths = new Set([...present(named), ...ENV_FILES].map((name) => resolve(dir, name)));
  return (await Promise.all([...paths].filter(existsSync).map(examineEnvFile))).flat();
}

async function examineEnvFile(path: string): Promise<readonly Diagnosis[]> {
  const dir = dirname(path);
  const name = basename(path);
  // A file of another folder may be outside every repository.
  if (!(await runGit(dir, ["rev-parse", "--show-toplevel"])).ok) return [];
  const tracked = await runGit(dir, ["ls-files", "--", name]);
  if (tracked.ok && tracked.text !== "") {
    const fix = `Run "git rm --cached ${name}", add ${name} to .gitignore, and replace the secrets.`;
    return [diagnose("git", "warning", `"${name}" is in git, with all secrets that it has.`, fix)];
  }
  if ((await listIgnored(dir, [name])).length > 0) return [];
  const message = `Git does not ignore "${name}", so a commit may publish the secrets that it has.`;
  return [diagnose("git", "warning", message, `Add to .gitignore: ${name}`)];
}

/** Whether the lock will be in CI; a repository without commits is only being set up. */
async function examineLock(dir: string): Promise<readonly Diagnosis[]> {
  if (!existsSync(join(dir, LOCKFILE_NAME))) return [];
  if (!(await runGit(dir, ["rev-parse", "--quiet", "--verify", "HEAD"])).ok) return [];
  const tracked = await runGit(dir, ["ls-files", "--", LOCKFILE_NAME]);
  if (!tracked.ok || tracked.text !== "") return [];
  const message = `"${LOCKFILE_NAME}" is not in git, so CI has nothing to compare with.`;
  return [diagnose("git", "failed", message, `Run "git add ${LOCKFILE_NAME}", and commit it.`)];
}

/** Whether reviews fold generated code, and merges leave it without markers. */
async function examineAttributes(dir: string, index: string): Promise<readonly Diagnosis[]> {
  const answer = await runGit(dir, ["check-attr", "linguist-generated", "merge", "--", index]);
  const text = answer.ok ? answer.text : "";
  const pattern = index.replace(/index\.ts$/, "**");
  const missing = present(
    !/: linguist-generated: (?:set|true)$/m.test(text) &&
      "Generated code is not marked as such, so reviews show all of it.",
    !/: merge: (?:unset|binary)$/m.test(text) && "Git writes merge markers into generated code.",
  );
  return missing.length === 0
    ? [diagnose("git", "ok", `.gitattributes marks "${pattern}" as generated.`)]
    : [diagnose("git", "warning", missing.join(" "), `Add to .gitattributes: ${attributesOf(pattern)}`)];
}

/** Where CI services have their configuration, relative to the repository; a folder counts with its YAML files. */
const CI_PLACES = [
  ".github/workflows",
  ".circleci",
  ".buildkite",
  ".gitlab-ci.yml",
  "azure-pipelines.yml",
  "bitbucket-pipelines.yml",
  ".travis.yml",
  "Jenkinsfile",
  ".woodpecker.yml",
  ".drone.yml",
];

async function examineCi(dir: string, top: string): Promise<Diagnosis> {
  const files = (await Promise.all(CI_PLACES.map((place) => filesAt(join(top, place))))).flat();
  // A script of package.json may be what CI runs.
  for (const file of [...files, join(dir, "package.json"), join(top, "package.json")]) {
    const text = (await findBounded(file).catch(() => undefined))?.toString("utf8") ?? "";
    if (runsCheck(text.replaceAll(COMMENT, "")))
      return diagnose("ci", "ok", `"${relative(top, file)}" runs mcp-codegen check.`);
  }
  const fix = 'Run "npx mcp-codegen check" in CI: node_modules/mcp-codegen/docs/ci.md has workflows.';
  return diagnose("ci", "warning", "No CI file runs mcp-codegen check, so drift is found only by hand.", fix);
}

/** A comment of YAML, or of a Jenkinsfile; not the end of a URL. */
const COMMENT = /(?<!\S)(?:#|\/\/).*$/gm;

/** Whether a step runs the command, or the Action in its mode check, which is the default. */
function runsCheck(text: string): boolean {
  if (/mcp-codegen(?:@\S{1,100})?\s+check\b/.test(text)) return true;
  const steps = text.split(/^(?=[^\S\n]*- )/m).filter((step) => /uses:\s*\S*mcp-codegen/.test(step));
  return steps.some((step) => !/\bmode:\s*["']?(?!check\b)\w/.test(step));
}

async function filesAt(path: string): Promise<readonly string[]> {
  const names = await readdir(path).catch(() => undefined);
  return names === undefined
    ? [path]
    : names.filter((name) => /\.ya?ml$/.test(name)).map((name) => join(path, name));
}
