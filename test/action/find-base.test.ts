/** The commit that the report of a pull request compares with. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { git } from "../e2e/git.js";
import { prepareStub, pullRequest, type ActionResult, type Scratch } from "./run-action.js";

const make = prepareStub("");
let scratch: Scratch;
let commits: { readonly [name in "old" | "fork" | "main" | "topic" | "merge"]: string };

/**
 * The remote has `old ← fork ← main`, and `fork ← topic`. `merge` is the service's merge of `topic` into `fork`, from
 * before `main` moved on.
 */
beforeEach(async () => {
  scratch = await make();
  const { dir, remote } = scratch;
  const tree = await git(dir, "rev-parse", "HEAD^{tree}");
  const commit = (message: string, ...parents: readonly string[]): Promise<string> =>
    git(dir, "commit-tree", tree, "-m", message, ...parents.flatMap((parent) => ["-p", parent]));
  const old = await git(dir, "rev-parse", "HEAD");
  const fork = await commit("fork", old);
  const [main, topic] = await Promise.all([commit("main", fork), commit("topic", fork)]);
  const merge = await commit("merge", fork, topic);
  commits = { old, fork, main, topic, merge };
  const branches = [`${main}:refs/heads/main`, `${topic}:refs/heads/topic`, `${merge}:refs/pull/5/merge`];
  await git(dir, "push", "--quiet", remote, ...branches);
});

async function checkOut(commit: string, { depth = 0, main = "" } = {}): Promise<void> {
  const { dir, remote, service } = scratch;
  await rm(join(dir, ".git"), { recursive: true });
  await git(dir, "init", "--quiet");
  const refs = [commit, ...(main === "" ? [] : [`${main}:refs/remotes/origin/main`])];
  const shallow = depth === 0 ? [] : [`--depth=${depth}`];
  await git(dir, "fetch", "--quiet", "--no-tags", ...shallow, `file://${remote}`, ...refs);
  await git(dir, "reset", "--quiet", "--hard", commit);
  await git(dir, "remote", "add", "origin", `${service.url}/acme/app.git`);
}

/** The name of the commit that the program compares with. */
function comparedWith({ log }: ActionResult): string | undefined {
  const commit = /--against (\S+)/.exec(log)?.[1];
  return Object.entries(commits).find((entry) => entry[1] === commit)?.[0] ?? commit;
}

it("is the parent of the service's merge commit, or else the merge base", async () => {
  // The parent needs no remote.
  await checkOut(commits.merge, { main: commits.main });
  expect(comparedWith(await scratch.act({ token: "" }, pullRequest()))).toBe("fork");
  await checkOut(commits.topic);
  expect(comparedWith(await scratch.act({}, pullRequest()))).toBe("fork");
  // The checkout's own branch is out of date: the fetched one counts.
  await checkOut(commits.topic, { main: commits.old });
  expect(comparedWith(await scratch.act({}, pullRequest()))).toBe("fork");
});

it("is found in a shallow clone that keeps no token, by fetching the commits that it lacks", async () => {
  const { act, dir, remote } = scratch;
  await checkOut(commits.merge, { depth: 1 });
  expect(comparedWith(await act({}, pullRequest()))).toBe("fork");
  expect(await git(dir, "rev-list", "--all", "HEAD")).toBe(commits.merge);
  await checkOut(commits.topic, { depth: 1 });
  expect(comparedWith(await act({}, pullRequest()))).toBe("fork");

  // The clone has a common commit, "old" by another path, and lacks the nearest.
  const tree = await git(dir, "rev-parse", "HEAD^{tree}");
  const merge = (...parents: readonly string[]): Promise<string> =>
    git(dir, "commit-tree", tree, "-m", "join", ...parents.flatMap((parent) => ["-p", parent]));
  const main = await merge(commits.main, commits.old);
  const topic = await merge(commits.topic, commits.old);
  await git(dir, "push", "--quiet", remote, `${main}:refs/heads/main`, `${topic}:refs/heads/topic`);
  await checkOut(topic, { depth: 2, main });
  expect(await git(dir, "merge-base", "HEAD", main)).toBe(commits.old);
  expect(comparedWith(await act({}, { ...pullRequest(), ref: "refs/heads/topic" }))).toBe("fork");
});

it("is not guessed: without it, the run fails and says what to set", async () => {
  await checkOut(commits.topic, { depth: 1, main: commits.main });
  const shallow = await scratch.act({ token: "" }, pullRequest());
  expect(shallow.exitCode, shallow.log).toBe(3);
  expect(shallow.log).toMatch(
    /^::warning title=mcp-codegen::Cannot fetch main, so its commit in the checkout/m,
  );
  expect(shallow.log).toMatch(
    /^::error title=mcp-codegen::Cannot compare with main: this shallow clone does not contain the merge base\. Set "fetch-depth: 0" of actions\/checkout\. \(git fetch failed: .*\)$/m,
  );
  expect(comparedWith(shallow)).toBeUndefined();

  const { dir } = scratch;
  await checkOut(commits.topic);
  const tree = await git(dir, "rev-parse", "HEAD^{tree}");
  await git(dir, "reset", "--quiet", "--hard", await git(dir, "commit-tree", tree, "-m", "unrelated"));
  const unrelated = await scratch.act({}, pullRequest());
  expect(unrelated.exitCode).toBe(3);
  expect(unrelated.log).toContain("Cannot compare with main: it has no commit in common with the checkout.");
});
