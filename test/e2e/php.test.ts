import { cp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { digestOfTool } from "../../src/core/digest.js";
import { formatLockfile, parseLockfile } from "../../src/core/lockfile-text.js";
import type { LockedServer, LockedTool, Lockfile } from "../../src/core/lockfile.js";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";
import { HEADER, onInit, register } from "../sources/php/make-plugin.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";

const SERVER = { url: "${WP_URL}/wp-json/mcp/mcp-adapter-default-server" };
const POSTS = "mu-plugins/acme-posts.php";

/** A copy of our plugins, locked from their PHP. */
function lockedProject(): Promise<Project> {
  const php = { paths: ["mu-plugins", "plugins"] };
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
  test("lock, generate and check without WordPress, by default in CI, and report a change with its line", async () => {
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
    const sees =
      /^wordpress: 52 abilities read with php \d+\.\d+\.\d+ in WordPress [\d.]+ \(a new single site\)\.$/m;
    await project.prints("check --php", 0, sees, "Up to date: checked 1 server and 55 files");
    await project.prints("pull --php", 0);
    expect(await project.files()).toEqual(before);

    await project.withEnv({ CI: "1" }).prints("check", 0);
    // Without CI the server is contacted, and WP_URL is not set.
    await project.refuses("check");
    await project.withEnv({ CI: "1" }).refuses("check --no-php");
    for (const [line, message] of [
      ["check --php --offline", "--php cannot be used with --offline, which reads no PHP."],
      ["check --php other", 'The configuration has no server "other".'],
      ["pull --php --server x", "--server cannot be used with --php, since it writes nothing."],
    ] as const)
      await project.refuses(line, message);

    await project.write("mu-plugins/b.php", "<?php\nadd_action( 'init', function () { echo 'Hello'; } );");
    await project.prints("check --php --allow-unresolved", 3);
    await edit(project, POSTS, "'pending'", "'in-review'");
    const { document, stderr } = await project.runJson("check --php");
    for (const text of [
      "acme-create-post",
      /mu-plugins\/acme-posts\.php:\d+ defines it/,
      /"status":"pending".* was accepted and is now rejected/,
      /^ {2}take it +npx mcp-codegen pull --php wordpress$/mu,
      'mu-plugins/b.php:2 prints "Hello" in the hook "init": a site sends it before its JSON.',
      "[php-output]",
    ])
      expect(stderr).toMatch(text);
    const changes = [{ php: { file: POSTS } }];
    expect(document).toMatchObject({ repairs: ["npx mcp-codegen pull --php wordpress"], exitCode: 1 });
    expect((document["changes"] as object[]).slice(0, 1)).toMatchObject(changes);
    const annotation = /^::error file=mu-plugins\/acme-posts\.php,line=\d+/m;
    await project.prints("check --php --format github", 1, annotation);
    await rm(join(project.dir, "mu-plugins/b.php"));
    await project.prints("pull --php wordpress", 0);
    await project.prints("check --php", 0);
  });

  test("name abilities that are not public to MCP, and report the line that hides or renames one", async () => {
    const lines = (name: string, isPublic: boolean): string =>
      `${HEADER}${onInit(`wp_register_ability( '${name}',
      array( 'label' => 'Send', 'description' => 'Sends a parcel to its receiver.', 'category' => 'site',
      'execute_callback' => '__return_true', 'permission_callback' => '__return_true',
      'meta' => array(
        'mcp' => array(
          'public' => ${isPublic} ) ) ) );`)}`;
    const php = { paths: ["ship.php"] };
    const project = await makeProject({ servers: { wordpress: { ...SERVER, php } } });
    await project.write("ship.php", lines("ship/send", false));
    const { document, stderr } = await project.runJson("pull --php");
    expect(stderr).toContain("not listed as tools, since meta.mcp.public is not true: ship/send");
    const hidden = { abilities: ["ship/send"], key: "meta.mcp.public" };
    expect(document["php"]).toMatchObject([{ hidden }]);
    await project.write("ship.php", lines("ship/send", true));
    expect((await project.run("pull --php")).stdout).not.toContain("not listed as tools");
    for (const [name, isPublic, rule, text] of [
      ["ship/send", false, "tool-removed", "'public'"],
      ["ship/send-parcel", true, "tool-renamed", "'ship/send-parcel'"],
    ] as const) {
      const written = lines(name, isPublic);
      await project.write("ship.php", written);
      const line = written.split("\n").findIndex((each) => each.includes(text)) + 1;
      const checked = await project.runJson("check --php");
      const changes = checked.document["changes"] as { readonly rule: string; readonly php?: object }[];
      expect(changes.find((change) => change.rule === rule)?.php).toMatchObject({ file: "ship.php", line });
    }
  });

  test("accept a lock in another language, compare no abilities of other plugins, and remove those of a read file", async () => {
    const project = await lockedProject();
    const inGerman = ({ definition, ...tool }: LockedTool): LockedTool =>
      withDigest({ ...tool, definition: { ...definition, description: "Auf Deutsch." } });
    await relock(project, (server) => ({
      ...server,
      listing: { ...server.listing, locale: "de_DE" },
      tools: Object.fromEntries(Object.entries(server.tools).map(([name, tool]) => [name, inGerman(tool)])),
    }));
    await project.run("generate");
    await project.prints("check --php", 0);
    const locked = await project.read(LOCKFILE_NAME);
    await project.run("pull --php");
    expect(await project.read(LOCKFILE_NAME)).toBe(locked);

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

  test("read meta.public, which adapter 0.6 lists, and keep an ability that a site listed without a configured profile", async () => {
    const metas = {
      track: "'public' => true",
      weigh: "'mcp' => array( 'public' => 1 )",
      scrap: "'public' => true, 'mcp' => array( 'public' => '0' )",
    };
    const abilities = Object.entries(metas).map(([name, meta]) =>
      register(name, `'meta' => array( ${meta} )`),
    );
    const project = await makeProject();
    await project.write("shipping.php", HEADER + onInit(abilities.join("\n")));
    const configure = (profile?: string): Promise<void> =>
      project.configure({
        servers: {
          wordpress: {
            ...SERVER,
            php: { paths: ["shipping.php"] },
            ...(profile && { wordpress: { profile } }),
          },
        },
      });
    for (const [profile, names] of [
      [undefined, ["acme-weigh"]],
      ["0.5", ["acme-weigh"]],
      ["0.6", ["acme-track", "acme-weigh"]],
    ] as const) {
      await configure(profile);
      await project.run("pull --php");
      expect(Object.keys((await project.locked("wordpress")).tools)).toEqual(names);
    }
    // A pull from a site may lock it so: through the execute tool, the profile does not determine the site's version.
    await relock(project, (server) => ({ ...server, wordpress: { profile: "0.5", route: "execute" } }));
    await configure();
    await project.run("generate");
    await project.reports("check --php", { exitCode: 0, changes: [] });
  });
});

test("check contacts the servers of a project without PHP in CI", async () => {
  const project = await makeProject({ servers: { shop: { file: "shop.json" } } });
  await project.writeJson("shop.json", { tools: [{ name: "a", inputSchema: { type: "object" } }] });
  await project.prints("pull", 0);
  await project.withEnv({ CI: "1" }).prints("check", 0, "Up to date: checked 1 server");
});

test.skipIf(!hasPhp)(
  `without PHP, pull and check verify nothing, write nothing, and say how to get PHP${WITH_PHP}`,
  async () => {
    const project = await lockedProject();
    const before = await project.paths();
    // The program is searched on the PATH of this process.
    vi.stubEnv("PATH", "/nowhere");
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    for (const line of ["check --php", "pull --php"]) {
      const { stdout, stderr } = await project.prints(line, 3);
      expect(stdout + stderr).toMatch(/The PHP of "wordpress" cannot be read: PHP is not installed\./);
      expect(stdout + stderr).toContain("Install PHP 7.4 or later.");
    }
    expect(await project.paths()).toEqual(before);
  },
);
