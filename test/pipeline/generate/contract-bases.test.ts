/** Two branches that both pulled: the merge, with real git. */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { splitConflicts } from "../../../src/core/generated-file.js";
import type { Lockfile } from "../../../src/core/lockfile.js";
import { isSample } from "../../sample.js";
import { git } from "../../e2e/git.js";
import { LOCKFILE_NAME, makeProject, type Project } from "../../e2e/make-project.js";

const ATTRIBUTES = "generated/** linguist-generated text eol=lf -merge\n";

const list = (project: Project, ...texts: readonly string[]): Promise<void> => {
  const tools = texts.map((text) => {
    const [name = "", description = "Does it."] = text.split(": ");
    return { name, description, inputSchema: { type: "object" } };
  });
  return project.writeJson("shop.json", { tools });
};

const contractOf = async (project: Project): Promise<string | undefined> =>
  (JSON.parse(await project.read(LOCKFILE_NAME)) as Lockfile).servers["shop"]?.contract;

const initialize = ({ dir }: Project): Promise<string> =>
  git(dir, "init", "--quiet", "--initial-branch=main", "--template=");

async function commit({ dir }: Project, message: string): Promise<void> {
  await git(dir, "add", "--all");
  await git(dir, "commit", "--quiet", "--allow-empty", "--message", message);
}

/** Runs git, which may stop at a conflict. */
async function tryGit(project: Project, ...args: readonly string[]): Promise<boolean> {
  return git(project.dir, ...args).then(
    () => true,
    () => false,
  );
}

interface Branches {
  readonly base: readonly string[];
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
}

const TWO_NEW: Branches = { base: ["get"], ours: ["get", "find"], theirs: ["get", "list"] };

/** Copies of the repositories of {@link makeBranches}, by its arguments: most of them are made several times. */
const copies = new Map<string, string>();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-codegen-merge-"));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

/** A repository whose `main` has pulled `ours`, and whose branch `topic` has pulled `theirs`, both from `base`. */
async function makeBranches({ base, ours, theirs }: Branches, attributes = ATTRIBUTES): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "shop.json" } } });
  const key = JSON.stringify([base, ours, theirs, attributes]);
  const known = copies.get(key);
  if (known !== undefined) {
    await cp(known, project.dir, { recursive: true });
    return project;
  }
  await initialize(project);
  await project.write(".gitattributes", attributes);
  // The list of a real server is not in the repository.
  await project.write(".gitignore", "shop.json\n");
  const pull = async (tools: readonly string[], message: string): Promise<void> => {
    await list(project, ...tools);
    await project.prints(["pull"], 0);
    await commit(project, message);
  };
  await pull(base, "Base");
  await git(project.dir, "checkout", "--quiet", "-b", "topic");
  await pull(theirs, "Theirs");
  await git(project.dir, "checkout", "--quiet", "main");
  await pull(ours, "Ours");
  const copy = join(folder, String(copies.size));
  await cp(project.dir, copy, { recursive: true });
  copies.set(key, copy);
  return project;
}

/** Returns all, or in a sample one of them. */
const oneOf = <T>(all: readonly T[], at: number): readonly T[] =>
  isSample ? all.filter((_, index) => index === at % all.length) : all;

const WAYS = [
  { what: "with the attributes of init", attributes: ATTRIBUTES, style: "merge" },
  { what: "with merge markers", attributes: "", style: "merge" },
  { what: "with merge markers and the common ancestor", attributes: "", style: "diff3" },
];

describe.each(WAYS)("a merge of two branches that both pulled, $what", (way) => {
  const { attributes, style } = way;
  const commands = ["generate", "generate --force", "pull"];
  test.each(oneOf(commands, WAYS.indexOf(way)))("is finished by %s", async (command) => {
    const project = await makeBranches(TWO_NEW, attributes);
    expect(await tryGit(project, "-c", `merge.conflictStyle=${style}`, "merge", "topic")).toBe(false);
    expect(await git(project.dir, "diff", "--name-only", "--diff-filter=U")).not.toContain(LOCKFILE_NAME);
    await list(project, "get", "find", "list");
    const before = await project.prints(["check", "--offline"], 1);
    expect(before.stdout).not.toMatch(/in the way|edited by hand/i);
    expect(before.stdout.includes("It has merge markers.")).toBe(attributes === "");

    await project.prints(command.split(" "), 0);
    expect(await project.read("generated/index.ts")).not.toMatch(/^[<=>]{7}/m);
    const modules = ["find", "list"].map((name) => `generated/shop/${name}.ts`);
    expect(await project.paths()).toEqual(expect.arrayContaining(modules));
    await commit(project, "Merge");
    await project.prints(["check", "--full"], 0);
  });
});

it("doctor names a generated file with merge markers", async () => {
  const project = await makeBranches(TWO_NEW, "");
  expect(await tryGit(project, "merge", "topic")).toBe(false);
  const { document } = await project.runJson(["doctor", "--offline"]);
  const markers = /generated files?, such as "[^"]+"\. It has merge markers\.$/;
  const writes = "Git writes merge markers into generated code.";
  expect(document["diagnoses"]).toEqual(
    expect.arrayContaining([
      {
        about: "code",
        status: "failed",
        message: expect.stringMatching(markers) as string,
        fix: 'Run "npx mcp-codegen generate".',
      },
      expect.objectContaining({ status: "warning", message: expect.stringContaining(writes) as string }),
    ]),
  );
});

it("a merge of two branches that changed one tool names the lock, and pull finishes it with either side", async () => {
  const project = await makeBranches({ base: ["get"], ours: ["get: Gets it."], theirs: ["get: Reads it."] });
  expect(await tryGit(project, "merge", "topic")).toBe(false);
  await project.refuses(
    "pull",
    /"mcp-codegen\.lock\.json" has merge markers[\s\S]*git checkout <branch> -- /,
  );
  await git(project.dir, "checkout", "MERGE_HEAD", "--", LOCKFILE_NAME);
  await project.prints(["pull"], 0);
  await commit(project, "Merge");
  await project.prints("check --full", 0);
});

describe("the contract of two merged branches", () => {
  /** Merges, takes their side where the lock has merge markers, and commits if there is a message. */
  async function merge(project: Project, message?: string): Promise<void> {
    await tryGit(project, "merge", "topic");
    const lock = await project.read(LOCKFILE_NAME);
    await project.write(LOCKFILE_NAME, splitConflicts(lock)?.[1] ?? lock);
    if (message !== undefined) await commit(project, message);
  }

  const cases: readonly (readonly [string, Branches, string])[] = [
    ["two new tools", TWO_NEW, "1.2.0"],
    ["a new and a removed tool", { base: ["a", "k", "p"], ours: ["a", "k", "p", "z"], theirs: ["k", "p"] }, "2.1.0"], // prettier-ignore
    ["two texts", { base: ["a", "b", "c"], ours: ["a: X.", "b", "c"], theirs: ["a", "b", "c: Y."] }, "1.0.2"],
    ["the same tool", { base: ["a"], ours: ["a", "b"], theirs: ["a", "b"] }, "1.1.0"],
    ["one branch that pulled", { base: ["a"], ours: ["a"], theirs: ["a", "b"] }, "1.1.0"],
  ];

  /** What the server lists once both changes are deployed. */
  const merged = ({ base, ours, theirs }: Branches): readonly string[] => {
    const names = new Set([...ours, ...theirs].map((text) => text.split(": ")[0] ?? ""));
    const kept = [...names].filter((name) => {
      const has = (list: readonly string[]): boolean => list.some((text) => text.split(": ")[0] === name);
      return !has(base) || (has(ours) && has(theirs));
    });
    return kept.map((name) => [...ours, ...theirs].find((text) => text.startsWith(`${name}: `)) ?? name);
  };

  for (const [at, [what, branches, contract]] of cases.entries()) {
    const finishes = ["generate", "pull"].flatMap((command) =>
      (["before", "after"] as const).map((when) => [command, when] as const),
    );
    test.each(oneOf(finishes, at))(
      `of ${what} is ${contract} with %s %s the commit`,
      async (command, when) => {
        const project = await makeBranches(branches);
        await merge(project, when === "after" ? "Merge" : undefined);
        await list(project, ...merged(branches));
        expect([(await project.run([command])).exitCode, await contractOf(project)]).toEqual([0, contract]);
        const after = await project.read(LOCKFILE_NAME);
        for (const again of ["generate", "pull"]) {
          await project.prints([again], 0);
          expect(await project.read(LOCKFILE_NAME)).toBe(after);
        }
        await commit(project, "Finish");
        await project.prints(["check", "--full"], 0);
      },
    );
  }

  it("is out of date for check until then", async () => {
    const project = await makeBranches(TWO_NEW);
    await merge(project, "Merge");
    const file = {
      rule: "generated-file-stale",
      file: LOCKFILE_NAME,
      facts: { state: "stale" },
      message: 'A commit has contract 1.1.0 of server "shop" with other content; the next is 1.2.0.',
      hint: 'Run "npx mcp-codegen generate".',
    };
    const { document } = await project.reports("check --offline", { exitCode: 1 });
    expect(document["files"]).toContainEqual(file);
    expect(document["repairs"]).toEqual(["npx mcp-codegen generate"]);
    await project.reports("generate", { raised: [{ server: "shop", before: "1.1.0", after: "1.2.0" }] });
    await project.prints(["check", "--offline"], 0);
  });

  it("is raised after a rebase, which joins two commits of one version", async () => {
    const project = await makeBranches(TWO_NEW);
    await git(project.dir, "checkout", "--quiet", "topic");
    expect(await tryGit(project, "rebase", "main")).toBe(false);
    await project.prints(["generate"], 0);
    await git(project.dir, "add", "--all");
    await git(project.dir, "-c", "core.editor=true", "rebase", "--continue");
    expect(await contractOf(project)).toBe("1.2.0");
    await project.prints(["check", "--offline", "--full"], 0);
  });
});

describe("a contract that counts from the committed lock", () => {
  async function committed(): Promise<Project> {
    const project = await makeProject({ servers: { shop: { file: "shop.json" } } });
    await list(project, "a", "b");
    await project.run(["pull"]);
    await initialize(project);
    await commit(project, "Base");
    return project;
  }

  it("is said to differ from a commit, not from a branch, after an edit by hand", async () => {
    const project = await committed();
    const lock = await project.read(LOCKFILE_NAME);
    const write = (name: string): Promise<void> =>
      project.write(LOCKFILE_NAME, lock.replace('"serverInfo": {}', `"serverInfo": {"name": "${name}"}`));
    await write("shop");
    await commit(project, "Identity");
    await write("store");
    const says = 'A commit has contract 1.0.0 of server "shop" with other content; the next is 2.0.0.';
    await project.prints("check --offline", 1, says);
    await project.prints(["generate"], 0, "1.0.0 → 2.0.0, since a commit has other content as 1.0.0");
  });

  it("is that of HEAD, byte for byte, after a change and its undo, also where that is spelled otherwise", async () => {
    const project = await committed();
    const lock = await project.read(LOCKFILE_NAME);
    const states: readonly (readonly [readonly string[], string])[] = [
      [["a", "b", "c"], "1.1.0"],
      [["a"], "2.0.0"],
      [["a: Reads.", "b"], "1.0.1"],
      [["b", "c", "d"], "2.0.0"],
    ];
    for (const [tools, contract] of states) {
      await list(project, ...tools);
      await project.prints(["pull"], 0);
      expect(await contractOf(project)).toBe(contract);
    }
    const spelled = ["a", "b"].map((name) => ({
      inputSchema: { type: "object" },
      description: "Does it.",
      name,
    }));
    for (const undo of [
      () => list(project, "a", "b"),
      () => project.writeJson("shop.json", { tools: spelled }),
    ]) {
      await undo();
      await project.prints(["pull"], 0);
      expect(await project.read(LOCKFILE_NAME)).toBe(lock);
      expect(await git(project.dir, "diff", "--name-only", "--", LOCKFILE_NAME)).toBe("");
      await list(project, "a: Reads.", "b");
      await project.prints(["pull"], 0);
    }
  });

  it("stays at the first version until a server is committed", async () => {
    const project = await committed();
    await project.configure({ servers: { shop: { file: "shop.json" }, b: { file: "b.json" } } });
    for (const tools of [[{ name: "x" }], [{ name: "x" }, { name: "y" }], [{ name: "y" }]]) {
      await project.writeJson("b.json", { tools });
      await project.run(["pull"]);
      expect((await project.locked("b")).contract).toBe("1.0.0");
    }
  });

  it.each(["outside git", "without a committed lock"])("counts from the lock %s", async (where) => {
    const project = await makeProject({ servers: { shop: { file: "shop.json" } } });
    await project.write(".gitignore", "*\n");
    if (where !== "outside git") {
      await initialize(project);
      await git(project.dir, "commit", "--quiet", "--allow-empty", "-m", "Base");
    }
    const seen: (string | undefined)[] = [];
    for (const tools of [["a"], ["a", "b"], ["a"]]) {
      await list(project, ...tools);
      await project.run(["pull"]);
      seen.push(await contractOf(project));
    }
    expect(seen).toEqual(["1.0.0", "1.1.0", "2.0.0"]);
  });
});
