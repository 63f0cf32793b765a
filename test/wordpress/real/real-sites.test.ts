/** Reads, calls, watches and replays abilities that write posts of a real WordPress: `npm run test:wordpress`. */
import { spawnSync } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parseLockfile } from "../../../src/core/lockfile-text.js";
import { LOCKFILE_NAME, makeProject, type Project } from "../../e2e/make-project.js";
import { linkPackages, runNode } from "../../e2e/user-project.js";
import { startWatch } from "../../e2e/watch/start-watch.js";
import { makeSite } from "../make-site.js";
import { AUTH, startSite, type RunningSite } from "../start-site.js";
import { REAL_WORDPRESS } from "./real-site.js";

const ARTICLES = fileURLToPath(new URL("articles.php", import.meta.url));
const JITI = resolve("node_modules/jiti/lib/jiti-register.mjs");
const at = (site: string): string => `\${${site}}/wp-json/mcp/mcp-adapter-default-server`;

interface Sites {
  readonly project: Project;
  readonly staging: RunningSite;
  readonly production: RunningSite;
  readonly env: Readonly<Record<string, string>>;
}

/** A project with the abilities of a staging site, which are locked, and the same plugin on a production site. */
async function startSites(): Promise<Sites> {
  const project = await makeProject({
    servers: {
      wordpress: {
        url: at("WP_URL"),
        auth: AUTH,
        environments: { production: { url: at("PRODUCTION_URL"), auth: AUTH } },
      },
    },
  });
  const copies = ["staging.php", "production.php"].map((name) => join(project.dir, name));
  await Promise.all(copies.map((copy) => cp(ARTICLES, copy)));
  const [staging, production] = await Promise.all([
    startSite({ plugins: copies.slice(0, 1) }),
    startSite({ plugins: copies.slice(1) }),
  ]);
  onTestFinished(async () => {
    await Promise.all([staging.close(), production.close()]);
  });
  const env = { ...staging.env, PRODUCTION_URL: production.site };
  const { exitCode, stderr } = await project.run(["pull"], env);
  expect(exitCode, stderr).toBe(0);
  return { project, staging, production, env };
}

/** The posts of a site as WordPress's own REST API lists them, without their numbers. */
async function postsOf({ site, env }: RunningSite): Promise<readonly unknown[]> {
  const token = Buffer.from(`${env.WP_USER}:${env.WP_PASSWORD}`).toString("base64");
  const read = async (path: string): Promise<readonly Record<string, unknown>[]> => {
    const answer = await fetch(`${site}/wp-json/wp/v2/${path}`, {
      headers: { authorization: `Basic ${token}` },
    });
    return (await answer.json()) as readonly Record<string, unknown>[];
  };
  const names = new Map((await read("tags")).map(({ id, name }) => [id, name]));
  const posts = await read("posts?status=any&context=edit&orderby=id&order=asc");
  return posts.map(({ title, content, status, tags }) => {
    const textOf = (value: unknown): unknown => (value as { readonly raw: string }).raw;
    return [textOf(title), textOf(content), status, (tags as number[]).map((tag) => names.get(tag)).sort()];
  });
}

const WORK = `
import { connect } from "./generated/wordpress/index.js";
import { openChangeFile } from "mcp-codegen/node";
import { createChangeTracker } from "mcp-codegen/replay";

await connect().articlesCreate({ title: "Not recorded" });
const store = openChangeFile("changes.jsonl");
const site = connect({ changes: createChangeTracker({ store }) });
const rye = await site.articlesCreate({ title: "Rye \\"&\\" 日本 \\\\ bread", text: "<p>It's rye.</p>", tags: ["bread", "rye"] });
const spelt = await site.articlesCreate({ title: "Spelt", status: "publish" });
await site.articlesUpdate({ id: rye.id, status: "publish", tags: ["bread"] });
await site.articlesDelete({ id: spelt.id });
await site.articlesCreate({ title: "Oats", text: "Line 1\\n\\nLine 2" });
const gone = await site.articlesGet.safe({ id: spelt.id });
store.close();
console.log(JSON.stringify({ rye, gone: gone.ok ? "" : gone.error.message }));
`;

describe("two sites", () => {
  test("changes on one site are replayed on the other, with its ids", async () => {
    const { project, staging, production, env } = await startSites();
    await linkPackages(project.dir);
    await project.write("work.ts", WORK);
    const { exitCode, stdout, stderr } = await runNode(project.dir, ["--import", JITI, "work.ts"], env);
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      rye: { status: "draft", tags: ["bread", "rye"] },
      gone: expect.stringContaining("There is no article") as string,
    });

    const replayed = ["replay", "changes.jsonl", "--env", "production", "--yes"];
    const { document, stderr: said } = await project.runJson(replayed, env);
    expect(document, said).toMatchObject({ exitCode: 0, status: "complete", conflicts: [] });
    const here = await postsOf(staging);
    expect(here).toContainEqual(['Rye "&" 日本 \\ bread', "<p>It's rye.</p>", "publish", ["bread"]]);
    expect(await postsOf(production)).toEqual(here.filter((post) => !String(post).includes("Not recorded")));
    const again = await project.runJson(replayed, env);
    expect(again.document).toMatchObject({ exitCode: 0 });
    expect(await postsOf(production)).toHaveLength(here.length - 1);
  });

  test("check --env names the site that lacks a change, and call reaches each site", async () => {
    const { project, production, env } = await startSites();
    const created = await project.run(
      ["call", "--yes", "--json", "--env", "production", "articles-create", "--title", "Barley"],
      env,
    );
    expect(created.exitCode, created.stderr).toBe(0);
    const listed = await project.run(
      ["call", "--json", "--env", "production", "articles-list", "--status", "draft"],
      env,
    );
    expect(listed.stdout).toContain("Barley");
    const other = await project.run(["call", "--json", "articles-list", "--status", "draft"], env);
    expect([other.exitCode, other.stdout]).toEqual([0, expect.not.stringContaining("Barley")]);

    expect((await project.run(["check", "--env", "all"], env)).exitCode).toBe(0);
    const php = join(project.dir, "production.php");
    await writeFile(php, (await readFile(php, "utf8")).replace("'draft', 'publish' )", "'publish' )"));
    expect((await project.run(["check"], env)).exitCode).toBe(0);
    const { document } = await project.runJson(["check", "--env", "production"], env);
    expect(document).toMatchObject({ exitCode: 1 });
    expect(JSON.stringify(document["changes"])).toContain('"environment":"production"');
    expect(await production.takeRequests()).toContain("GET /wp-json/wp-abilities/v1/abilities");
  });

  test("a subscriber may read and not write, and an empty input gets advice", async () => {
    const { project, env } = await startSites();
    const subscriber = { ...env, WP_USER: "subscriber" };
    const create = ["call", "--yes", "articles-create", "--title", "Barley"];
    const refused = await project.run(create, subscriber);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("Permission denied")]);
    expect((await project.run(["call", "articles-list", "--status", "publish"], subscriber)).exitCode).toBe(
      0,
    );
    const empty = await project.run(["call", "articles-list"], env);
    expect([empty.exitCode, empty.stderr]).toEqual([
      1,
      expect.stringMatching(
        /input is not of type object\..*Some versions of the MCP adapter pass empty parameters/s,
      ),
    ]);
  });
});

describe("abilities of WordPress itself", () => {
  test("are read from its REST API, and are the same as those of its PHP", async () => {
    const site = await startSite({ plugins: [] });
    onTestFinished(() => site.close());
    const project = await makeProject({
      servers: {
        core: { url: at("WP_URL"), auth: AUTH, wordpress: { route: "rest" }, php: { wordpress: "site" } },
      },
    });
    await makeSite(join(project.dir, "site"));
    const { exitCode, stderr } = await project.run(["pull"], site.env);
    expect(exitCode, stderr).toBe(0);
    const tools = parseLockfile(await project.read(LOCKFILE_NAME)).servers["core"]?.tools ?? {};
    expect(Object.keys(tools)).toEqual([
      "core-get-environment-info",
      "core-get-site-info",
      "core-get-user-info",
    ]);
    const { document } = await project.runJson(["check", "--php"]);
    const changes = (document["changes"] as readonly Record<string, unknown>[]).filter(
      ({ tool }) => typeof tool === "string" && tool.startsWith("core-"),
    );
    expect(changes).toEqual([]);
  });
});

describe("watch", () => {
  const SHOP = "site/wp-content/plugins/acme-shop";
  test.each([
    ["php.wordpress", { wordpress: "site", paths: [SHOP] }],
    ["php.command", { command: "site/wp", paths: [SHOP] }],
  ])("an edit of PHP is in the generated code (%s)", async (_, php) => {
    const project = await makeProject({ servers: { shop: { php } } });
    await makeSite(join(project.dir, "site"));
    const watch = startWatch(project.dir);
    await watch.see(/shop: locked 31 tools/);
    await watch.see(/Watching shop \(files\)/);
    const file = `${SHOP}/src/Orders.php`;
    await project.write(file, (await project.read(file)).replaceAll("'completed'", "'archived'"));
    await watch.see(/shop: .+ · \d+ tools? changed/);
    expect(JSON.stringify(await project.files())).toContain('\\"archived\\"');
  });

  test("an edit on the site is found by polling", async () => {
    const { project, env } = await startSites();
    const watch = startWatch(project.dir, ["--interval", "1"], { env });
    await watch.see(/Watching wordpress \(every 1 second\)/);
    const php = join(project.dir, "staging.php");
    await writeFile(
      php,
      (await readFile(php, "utf8")).replace("'draft', 'publish' )", "'draft', 'publish', 'private' )"),
    );
    await watch.see(/wordpress: .+ · \d+ tools? changed/);
    expect(await project.read("generated/wordpress/articles-create.ts")).toContain('"private"');
  });
});

/** The PATH without the PHP that has the extension. */
const PLAIN_PATH = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.startsWith(REAL_WORDPRESS ?? ""))
  .join(delimiter);
const withSqlite = spawnSync("php", ["-r", 'exit(extension_loaded("pdo_sqlite") ? 0 : 1);'], {
  env: { ...process.env, PATH: PLAIN_PATH },
});

test.skipIf(withSqlite.status === 0)("PHP without pdo_sqlite is named as the cause", async () => {
  const project = await makeProject({ servers: { shop: { php: { wordpress: "site" } } } });
  await makeSite(join(project.dir, "site"));
  vi.stubEnv("PATH", PLAIN_PATH);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const { exitCode, stdout } = await project.run(["pull"]);
  expect([exitCode, stdout]).toEqual([
    3,
    expect.stringContaining(
      'The WordPress at "site" needs the extension pdo_sqlite, which this PHP does not have.',
    ),
  ]);
});
