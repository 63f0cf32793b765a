import { cp } from "node:fs/promises";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { digestOfTool } from "../../src/core/digest.js";
import { formatLockfile, parseLockfile } from "../../src/core/lockfile-text.js";
import type { LockedServer, LockedTool, Lockfile } from "../../src/core/lockfile.js";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";
import { HEADER, onInit, register } from "../sources/php/make-plugin.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";

const SERVER = { url: "${WP_URL}/wp-json/mcp/mcp-adapter-default-server" };
const POSTS = "mu-plugins/acme-posts.php";

/** A copy of our plugins, locked from their PHP. */
function lockedProject(php: object = { paths: ["mu-plugins", "plugins"] }): Promise<Project> {
  return makePulled({ servers: { wordpress: { ...SERVER, php } } }, ["--php"], {
    addFiles: (project) => cp(resolve("test/wordpress"), project.dir, { recursive: true }),
  });
}

async function edit(project: Project, file: string, from: string, to: string): Promise<void> {
  const text = await project.read(file);
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  await project.write(file, text.replaceAll(from, to));
}

async function readLock(project: Project): Promise<Lockfile> {
  return parseLockfile(await project.read(LOCKFILE_NAME));
}

/** Changes the locked server, as if by another pull. */
async function relock(project: Project, change: (server: LockedServer) => LockedServer): Promise<void> {
  const lock = await readLock(project);
  const server = lock.servers["wordpress"];
  if (server === undefined) throw new Error("The server is not locked.");
  await project.write(LOCKFILE_NAME, formatLockfile({ ...lock, servers: { wordpress: change(server) } }));
}

function withDigest(tool: LockedTool): LockedTool {
  return { ...tool, digest: digestOfTool(tool) };
}

describe.skipIf(!hasPhp)(`pull --php and check --php${WITH_PHP}`, () => {
  test("lock, generate and check without WordPress", async () => {
    const project = await lockedProject();
    const wordpress = (await readLock(project)).servers["wordpress"];
    expect(wordpress?.wordpress).toEqual({ profile: "0.4", route: "execute", projected: true, answers: {} });
    expect(Object.keys(wordpress?.tools ?? {})).toHaveLength(51);
    expect(wordpress?.tools["acme-get-post"]).toMatchObject({
      category: "content",
      ability: { file: POSTS, definition: { name: "acme/get-post" } },
      definition: { name: "acme-get-post", inputSchema: { required: ["id"] } },
    });
    expect(await project.paths()).toContain("generated/wordpress/acme-get-post.ts");
    const before = await project.files();
    await project.prints(
      "check --php",
      0,
      /^wordpress: 52 abilities read with php \d+\.\d+\.\d+ in WordPress [\d.]+ \(a new single site\)\.$/m,
      "Up to date: checked 1 server and 55 files",
    );
    await project.prints("pull --php", 0);
    expect(await project.files()).toEqual(before);
  });

  test("abilities that are not public to MCP are named", async () => {
    const plugin = (isPublic: boolean): string =>
      HEADER + onInit(register("ping", `'meta' => array( 'mcp' => array( 'public' => ${isPublic} ) )`));
    const project = await makeProject({
      servers: { wordpress: { ...SERVER, php: { paths: ["tiny.php"] } } },
    });
    await project.write("tiny.php", plugin(false));
    const { stdout } = await project.run("pull --php");
    expect(stdout).toContain("not listed as tools, since meta.mcp.public is not true: acme/ping");
    const { document } = await project.runJson("pull --php");
    expect(document["php"]).toMatchObject([{ hidden: { abilities: ["acme/ping"], key: "meta.mcp.public" } }]);
    await project.write("tiny.php", plugin(true));
    expect((await project.run("pull --php")).stdout).not.toContain("not listed as tools");
  });

  test("a renamed enum value fails, with its place, a witness and the command that accepts it", async () => {
    const project = await lockedProject();
    await edit(project, POSTS, "'pending'", "'in-review'");
    await project.prints(
      "check --php",
      1,
      "acme-create-post",
      /mu-plugins\/acme-posts\.php:\d+ defines it/,
      /"status":"pending".* was accepted and is now rejected/,
      /^ {2}take it +npx mcp-codegen pull --php wordpress$/mu,
    );
    const { document } = await project.runJson("check --php");
    expect(document["repairs"]).toEqual(["npx mcp-codegen pull --php wordpress"]);
    const [first] = document["changes"] as { readonly php?: unknown; readonly rule: string }[];
    expect(first?.php).toMatchObject({ file: POSTS });

    const annotated = await project.run("check --php --format github");
    expect(annotated.stdout).toMatch(/^::error file=mu-plugins\/acme-posts\.php,line=\d+/m);
    await project.prints("pull --php wordpress", 0);
    await project.prints("check --php", 0);
  });

  describe("the line of a change", () => {
    const SHIP = `${HEADER}add_action( 'wp_abilities_api_init', function () {
  wp_register_ability( 'ship/send', array( 'label' => 'Send', 'description' => 'Sends a parcel to its receiver.',
    'category' => 'site', 'execute_callback' => '__return_true', 'permission_callback' => '__return_true',
    'meta' => array(
      'mcp' => array(
        'public' => true ),
    ),
  ) );
} );
`;

    test.each([
      ["an ability that is hidden", "'public' => true", "'public' => false", "tool-removed", 8],
      ["an ability with another name", "'ship/send'", "'ship/send-parcel'", "tool-renamed", 4],
    ])("is that of %s", async (_what, from, to, rule, line) => {
      const project = await makeProject({
        servers: { wordpress: { ...SERVER, php: { paths: ["ship.php"] } } },
      });
      await project.write("ship.php", SHIP);
      await project.prints("pull --php", 0);
      await edit(project, "ship.php", from, to);
      const { document } = await project.runJson("check --php");
      const changes = document["changes"] as { readonly rule: string; readonly php?: object }[];
      expect(changes.find((change) => change.rule === rule)?.php).toMatchObject({ file: "ship.php", line });
    });
  });

  test("a lock in another language differs only in texts", async () => {
    const project = await lockedProject();
    await relock(project, (server) => ({
      ...server,
      listing: { ...server.listing, locale: "de_DE" },
      tools: Object.fromEntries(
        Object.entries(server.tools).map(([name, tool]) => [
          name,
          withDigest({ ...tool, definition: { ...tool.definition, description: "Auf Deutsch." } }),
        ]),
      ),
    }));
    await project.run("generate");
    await project.prints("check --php", 0);
    const locked = await project.read(LOCKFILE_NAME);
    await project.run("pull --php");
    expect(await project.read(LOCKFILE_NAME)).toBe(locked);
  });

  test("abilities of other plugins are not compared, and missing ones of a read file are removed", async () => {
    const project = await lockedProject();
    await relock(project, (server) => {
      const tool = server.tools["acme-get-post"];
      if (tool === undefined) throw new Error("There is no such tool.");
      const foreign = (name: string, file?: string): readonly [string, LockedTool] => [
        name,
        withDigest({
          ...tool,
          ability: { ...(file !== undefined && { file }), definition: { name: name.replace("-", "/") } },
          definition: { ...tool.definition, name },
        }),
      ];
      const others = [
        foreign("other-one"),
        foreign("other-two", "plugins-of-others/two.php"),
        foreign("acme-gone", POSTS),
      ];
      return { ...server, tools: { ...server.tools, ...Object.fromEntries(others) } };
    });
    await project.run("generate");
    const { stdout } = await project.prints(
      "check --php",
      1,
      "2 tools not registered by this PHP, and not compared: other-one, other-two",
      /breaking  - acme-gone \[tool-removed\]\n +mu-plugins\/acme-posts\.php registered it/,
    );
    expect(stdout).not.toMatch(/- other/);
  });

  describe("exposure by meta.public, which adapter 0.6 reads", () => {
    const metas = {
      track: "'public' => true",
      weigh: "'mcp' => array( 'public' => 1 )",
      scrap: "'public' => true, 'mcp' => array( 'public' => '0' )",
    };
    const abilities = Object.entries(metas).map(([name, meta]) =>
      register(name, `'meta' => array( ${meta} )`),
    );
    const SHIPPING = HEADER + onInit(abilities.join("\n"));

    async function shipping(wordpress?: object): Promise<Project> {
      const php = { paths: ["shipping.php"] };
      const project = await makeProject({
        servers: { wordpress: { ...SERVER, php, ...(wordpress && { wordpress }) } },
      });
      await project.write("shipping.php", SHIPPING);
      await project.run("pull --php");
      return project;
    }

    const namesIn = async (project: Project): Promise<readonly string[]> =>
      Object.keys((await readLock(project)).servers["wordpress"]?.tools ?? {});

    test("only such an adapter lists it", async () => {
      for (const wordpress of [undefined, { profile: "0.5" }])
        expect(await namesIn(await shipping(wordpress))).toEqual(["acme-weigh"]);
      expect(await namesIn(await shipping({ profile: "0.6" }))).toEqual(["acme-track", "acme-weigh"]);
    });

    test("keeps an ability that a site listed without a configured profile", async () => {
      const project = await shipping({ profile: "0.6" });
      // A pull from a site may lock it so: through the execute tool, the profile does not determine the site's version.
      await relock(project, (server) => ({ ...server, wordpress: { profile: "0.5", route: "execute" } }));
      const configuration = { servers: { wordpress: { ...SERVER, php: { paths: ["shipping.php"] } } } };
      await project.configure(configuration);
      await project.run("generate");
      const { exitCode, document } = await project.runJson("check --php");
      expect([exitCode, document["changes"]]).toEqual([0, []]);
    });
  });

  test("text that a plugin prints is not verified, and its abilities are", async () => {
    const project = await lockedProject();
    await edit(project, POSTS, "'pending'", "'in-review'");
    await project.write("mu-plugins/b.php", "<?php\nadd_action( 'init', function () { echo 'Hello'; } );");
    await project.prints(
      "check --php",
      1,
      'mu-plugins/b.php:2 prints "Hello" in the hook "init": a site sends it before its JSON.',
      "[php-output]",
    );
    await edit(project, POSTS, "'in-review'", "'pending'");
    await project.prints("check --php --allow-unresolved", 3);
  });

  test("is the default of check in CI, and contacts only servers without PHP", async () => {
    const project = await lockedProject();
    await project.withEnv({ CI: "1" }).prints("check", 0);
    // Without CI the server is contacted, and WP_URL is not set.
    await project.refuses("check");
    await project.withEnv({ CI: "1" }).refuses("check --no-php");
  });

  test("contacts the servers of a project without PHP in CI", async () => {
    const project = await makeProject({ servers: { shop: { file: "shop.json" } } });
    await project.writeJson("shop.json", { tools: [{ name: "a", inputSchema: { type: "object" } }] });
    await project.prints("pull", 0);
    await project.withEnv({ CI: "1" }).prints("check", 0, "Up to date: checked 1 server");
  });

  test.each([
    [["check", "--php", "--offline"], "--php cannot be used with --offline, which reads no PHP."],
    [["check", "--php", "other"], 'The configuration has no server "other".'],
    [["pull", "--php", "--server", "npx x"], "--server cannot be used with --php, since it writes nothing."],
  ])("%j is rejected", async (argv, message) => {
    const project = await lockedProject();
    await project.refuses(argv, message);
  });
});

describe.skipIf(!hasPhp)(`without PHP${WITH_PHP}`, () => {
  /** The program is searched on the PATH of this process. */
  async function withoutPhp<T>(work: () => Promise<T>): Promise<T> {
    const before = process.env["PATH"];
    process.env["PATH"] = "/nowhere";
    try {
      return await work();
    } finally {
      process.env["PATH"] = before;
    }
  }

  test.each([["check"], ["pull"]])(
    "%s --php verifies nothing, writes nothing, and says how to get PHP",
    async (command) => {
      const project = await lockedProject();
      const before = await project.paths();
      const { exitCode, stdout, stderr } = await withoutPhp(() => project.run([command, "--php"]));
      expect(exitCode).toBe(3);
      expect(stdout + stderr).toMatch(/The PHP of "wordpress" cannot be read: PHP is not installed\./);
      expect(stdout + stderr).toContain("Install PHP 7.4 or later.");
      expect(await project.paths()).toEqual(before);
    },
  );
});
