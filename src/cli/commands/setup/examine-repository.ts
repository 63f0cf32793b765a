import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { ENV_FILES } from "../../../config/read-variables.js";
import { attributesOf } from "../../../core/generated-file.js";
import { LOCKFILE_NAME } from "../../../core/lockfile.js";
import { findBounded } from "../../../files/read-bounded.js";
import type { Diagnosis } from "../../../report/documents.js";
import { listIgnored, runGit } from "../../../sources/git/git.js";

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
  return [
    ignored.length === 0
      ? { about: "git", status: "ok", message: `Git does not ignore ${kept}.` }
      : {
          ...{ about: "git", status: "failed" },
          message: `Git ignores ${ignored.map((path) => `"${path}"`).join(" and ")}, so CI cannot compare anything with it.`,
          fix: "Remove the line from .gitignore, and commit the files.",
        },
    ...(ignored.includes(LOCKFILE_NAME) ? [] : await examineLock(dir)),
    ...(index === undefined ? [] : await examineAttributes(dir, index)),
    ...(await examineEnvFiles(dir, envFile)),
    await examineCi(dir, top.text.trim()),
  ];
}

/** Whether a commit may publish the files that variables are read from. */
async function examineEnvFiles(dir: string, named: string | undefined): Promise<readonly Diagnosis[]> {
  const paths = [
    ...(named === undefined ? [] : [resolve(dir, named)]),
    ...ENV_FILES.map((name) => join(dir, name)),
  ];
  const present = [...new Set(paths)].filter((path) => existsSync(path));
  const found = await Promise.all(present.map((path) => examineEnvFile(path)));
  return found.flatMap((one) => one ?? []);
}

async function examineEnvFile(path: string): Promise<Diagnosis | undefined> {
  const [dir, name] = [dirname(path), basename(path)];
  // A file of another folder may be outside every repository.
  if (!(await runGit(dir, ["rev-parse", "--show-toplevel"])).ok) return undefined;
  const tracked = await runGit(dir, ["ls-files", "--", name]);
  if (tracked.ok && tracked.text !== "")
    return {
      ...{ about: "git", status: "warning", message: `"${name}" is in git, with all secrets that it has.` },
      fix: `Run "git rm --cached ${name}", add ${name} to .gitignore, and replace the secrets.`,
    };
  if ((await listIgnored(dir, [name])).length > 0) return undefined;
  return {
    ...{ about: "git", status: "warning" },
    message: `Git does not ignore "${name}", so a commit may publish the secrets that it has.`,
    fix: `Add to .gitignore: ${name}`,
  };
}

/** Whether the lock will be in CI; a repository without commits is only being set up. */
async function examineLock(dir: string): Promise<readonly Diagnosis[]> {
  if (!existsSync(join(dir, LOCKFILE_NAME))) return [];
  if (!(await runGit(dir, ["rev-parse", "--quiet", "--verify", "HEAD"])).ok) return [];
  const tracked = await runGit(dir, ["ls-files", "--", LOCKFILE_NAME]);
  if (!tracked.ok || tracked.text !== "") return [];
  return [
    {
      ...{ about: "git", status: "failed" },
      message: `"${LOCKFILE_NAME}" is not in git, so CI has nothing to compare with.`,
      fix: `Run "git add ${LOCKFILE_NAME}", and commit it.`,
    },
  ];
}

/** Whether reviews fold generated code, and merges leave it without markers. */
async function examineAttributes(dir: string, index: string): Promise<readonly Diagnosis[]> {
  const answer = await runGit(dir, ["check-attr", "linguist-generated", "merge", "--", index]);
  const text = answer.ok ? answer.text : "";
  const pattern = index.replace(/index\.ts$/, "**");
  const missing = [
    ...(/: linguist-generated: (?:set|true)$/m.test(text)
      ? []
      : ["Generated code is not marked as such, so reviews show all of it."]),
    ...(/: merge: (?:unset|binary)$/m.test(text) ? [] : ["Git writes merge markers into generated code."]),
  ];
  if (missing.length === 0)
    return [{ about: "git", status: "ok", message: `.gitattributes marks "${pattern}" as generated.` }];
  return [
    {
      ...{ about: "git", status: "warning", message: missing.join(" ") },
      fix: `Add to .gitattributes: ${attributesOf(pattern)}`,
    },
  ];
}

/** Where CI services have their configuration, relative to the repository; a folder counts with its YAML files. */
const CI_PLACES = [
  ...[".github/workflows", ".circleci", ".buildkite", ".gitlab-ci.yml", "azure-pipelines.yml"],
  ...["bitbucket-pipelines.yml", ".travis.yml", "Jenkinsfile", ".woodpecker.yml", ".drone.yml"],
];

async function examineCi(dir: string, top: string): Promise<Diagnosis> {
  const files = (await Promise.all(CI_PLACES.map((place) => filesAt(join(top, place))))).flat();
  // A script of package.json may be what CI runs.
  for (const file of [...files, join(dir, "package.json"), join(top, "package.json")]) {
    const text = (await findBounded(file).catch(() => undefined))?.toString("utf8") ?? "";
    if (runsCheck(text.replaceAll(COMMENT, "")))
      return { about: "ci", status: "ok", message: `"${relative(top, file)}" runs mcp-codegen check.` };
  }
  return {
    ...{ about: "ci", status: "warning" },
    message: "No CI file runs mcp-codegen check, so drift is found only by hand.",
    fix: 'Run "npx mcp-codegen check" in CI: node_modules/mcp-codegen/docs/ci.md has workflows.',
  };
}

/** A comment of YAML, or of a Jenkinsfile; not the end of a URL. */
const COMMENT = /(?<!\S)(?:#|\/\/).*$/gm;

/** Whether a step runs the command, or the Action in its mode check, which is the default. */
function runsCheck(text: string): boolean {
  if (/mcp-codegen(?:@\S+)?\s+check\b/.test(text)) return true;
  const steps = text.split(/^(?=\s*- )/m).filter((step) => /uses:\s*\S*mcp-codegen/.test(step));
  return steps.some((step) => !/\bmode:\s*["']?(?!check\b)\w/.test(step));
}

async function filesAt(path: string): Promise<readonly string[]> {
  const names = await readdir(path).catch(() => undefined);
  return names === undefined
    ? [path]
    : names.filter((name) => /\.ya?ml$/.test(name)).map((name) => join(path, name));
}
