/** Servers that left the configuration or list no tools: blocks and files are deleted only if confirmed and nothing failed. */
import { describe, expect, test } from "vitest";
import { runCommand, type Outcome } from "../cli/run-command.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";

const LIST = JSON.stringify({ tools: [{ name: "get", inputSchema: { type: "object" } }] });

async function pulledProject(): Promise<Project> {
  const project = await makeProject({
    servers: { shop: { file: "tools.json" }, blog: { file: "tools.json" } },
  });
  await project.write("tools.json", LIST);
  await project.prints("pull", 0);
  return project;
}

const drifted = (drift: string): object => ({ ...fixtureCommand("drifted"), env: { DRIFT: drift } });

const GENERATED = "generated/shop/get.ts";

const statesOf = async (project: Project, argv: readonly string[]): Promise<unknown> => {
  const { document } = await project.runJson(argv);
  return (document["servers"] as readonly { server: string; status: string; leftover?: string }[]).map(
    ({ server, status, leftover }) => [server, status, ...(leftover === undefined ? [] : [leftover])],
  );
};

const BLOG = { blog: { file: "tools.json" } };
const ACCEPT = "To accept: npx mcp-codegen pull --remove";

describe.each([
  ["lists no tools any more", { ...BLOG, shop: { file: "empty.json" } }, "none of its tools is left"],
  ["was removed from the configuration", BLOG, "no longer configured"],
] as const)("pull of a server that %s", (_, servers, why) => {
  const isGone = servers === BLOG;

  test("removes nothing before that is confirmed at a terminal or by --remove", async () => {
    const project = await pulledProject();
    await project.write("empty.json", '{"tools":[]}');
    await project.configure({ servers });
    const before = await project.files();
    await project.prints(
      "pull",
      1,
      isGone
        ? "shop to be removed: no longer configured; 1 tool and 4 generated files"
        : "shop all tools to be removed: none is left; 4 generated files",
      `shop not removed: ${why}, and its removal was not confirmed\n` +
        "  its block in the lock stays unchanged, with 1 tool and 4 generated files",
      ACCEPT,
    );
    await project.prints("pull --frozen", 1, ACCEPT);
    expect(await statesOf(project, ["pull"])).toContainEqual(["shop", "leftover", "unconfirmed"]);
    const would = ["shop", isGone ? "removed" : "changed"];
    expect(await statesOf(project, ["pull", "--dry-run"])).toContainEqual(would);
    const answered = (keys: string): Promise<Outcome> => runCommand(["pull"], { cwd: project.dir, keys });
    const refused = await answered("n");
    const what = isGone ? '"shop"' : 'all tools of "shop"';
    expect(refused.stderr).toContain(`Remove ${what} from the lock, and delete the generated files?`);
    expect(refused.exitCode).toBe(1);
    expect(await project.files()).toEqual(before);

    expect((await answered("y")).exitCode).toBe(0);
    expect(await project.paths()).not.toContain(GENERATED);
    for (const [path, text] of Object.entries(before)) await project.write(path, text);
    await project.prints("check", 1, `npx mcp-codegen pull ${isGone ? "" : "shop "}--remove`);
    await project.prints("pull --remove", 0);
    expect((await project.read(LOCKFILE_NAME)).includes('"shop"')).toBe(!isGone);
    expect(await project.paths()).not.toContain(GENERATED);
    await project.prints("check", 0);
    // A list that stays empty needs no question.
    await project.prints("pull", 0);
  });
});

describe("pull after a server was removed from the configuration", () => {
  test("leaves a lock that check finds to have another server", async () => {
    const project = await pulledProject();
    await project.configure({ servers: BLOG });
    const fix = "bring the lock up to date  npx mcp-codegen pull --remove\n";
    await project.prints("check --offline", 1, fix, 'Server "shop" is locked but no longer configured.');
    await project.refuses("pull shop --remove", '"npx mcp-codegen pull --remove"');
    await project.configure({ servers: {} });
    const states = ["blog", "shop"].map((server) => [server, "leftover", "unconfirmed"]);
    expect(await statesOf(project, ["pull"])).toEqual(states);
    expect(await project.paths()).toContain(GENERATED);
  });

  test("removes nothing if the server that may replace it failed, even with --remove, and continues if only locked ones fail", async () => {
    const project = await pulledProject();
    const away = { url: "http://127.0.0.1:1/mcp" };
    await project.configure({ servers: { ...BLOG, shopp: away } });
    await project.prints("pull --remove", 3);
    expect(await statesOf(project, ["pull", "--remove"])).toContainEqual(["shop", "leftover", "unreplaced"]);
    expect(await project.paths()).toContain(GENERATED);
    await project.configure({ servers: { blog: away } });
    await project.prints("pull --remove", 3);
    expect(await project.paths()).not.toContain(GENERATED);
    expect(await project.paths()).toContain("generated/blog/get.ts");
  });

  test("names the new key of a server with the same tools, or with most of them, and no other", async () => {
    const project = await pulledProject();
    await project.configure({ servers: { ...BLOG, store: { file: "tools.json" } } });
    const key = 'its new key is probably "store"';
    await project.prints("pull --dry-run", 0, `1 tool and 4 generated files; ${key}`);
    await project.write("other.json", LIST.replace('"get"', '"put"'));
    await project.configure({ servers: { ...BLOG, store: { file: "other.json" } } });
    expect((await project.run("pull --dry-run")).stdout).not.toContain("probably");
    const changed = await makePulled({ servers: { shop: drifted("none") } });
    await changed.configure({ servers: { store: drifted("tool-removed") } });
    await changed.prints("pull --dry-run", 0, key);
  });
});
