import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** Runs git in a folder with a fixed author, and returns its output without the last line break. */
export async function git(dir: string, ...args: readonly string[]): Promise<string> {
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
    GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
  };
  const identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com"];
  const { stdout } = await promisify(execFile)("git", [...identity, ...args], { cwd: dir, env });
  return stdout.trimEnd();
}

/** Initializes a repository in a folder, or commits everything in it. */
export async function commitAll(dir: string, message = "Change"): Promise<string> {
  if (!existsSync(join(dir, ".git"))) await git(dir, "init", "--quiet", "--initial-branch=main");
  await git(dir, "add", "--all");
  await git(dir, "commit", "--quiet", "--message", message);
  return git(dir, "rev-parse", "HEAD");
}
