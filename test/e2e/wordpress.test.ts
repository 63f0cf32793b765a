/** The main job on a WordPress: abilities registered in PHP, pulled, compiled, called, changed in PHP, found, pulled. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";
import { AUTH, startSite } from "../wordpress/start-site.js";
import { LOCKFILE_NAME, makeProject } from "./make-project.js";
import { compile, linkPackages, NEWEST, runNode } from "./user-project.js";

const PLUGIN = fileURLToPath(new URL("../wordpress/mu-plugins/acme-posts.php", import.meta.url));

it.skipIf(!hasPhp)(
  `the abilities of a WordPress are pulled, compiled and called, and drift${WITH_PHP}`,
  async () => {
    const url = "${WP_URL}/wp-json/mcp/mcp-adapter-default-server";
    const wordpress = { url, auth: AUTH, tools: { stripPrefix: "acme-" } };
    const made = await makeProject({ servers: { wordpress } });
    const { dir } = made;
    await cp(fileURLToPath(new URL("wordpress-app", import.meta.url)), dir, { recursive: true });
    await linkPackages(dir);
    await cp(PLUGIN, join(dir, "acme-posts.php"));
    const site = await startSite({ plugins: [join(dir, "acme-posts.php")] });
    onTestFinished(() => site.close());
    const project = made.withEnv(site.env);

    const { stdout } = await project.prints("pull", 0, "wordpress new, 5 tools, contract 1.0.0");
    expect(stdout).not.toContain("note:");
    const lock = await project.read(LOCKFILE_NAME);
    for (const text of ['"category": "content"', '"name": "acme/get-post"']) expect(lock).toContain(text);
    expect(lock).not.toMatch(/abcd efgh|127\.0\.0\.1/);
    await project.prints("check --full", 0);

    // `test/emit/golden-compiles.test.ts` has every supported compiler.
    expect(await compile(dir, NEWEST, "out")).toMatchObject({ exitCode: 0, stdout: "" });
    const ran = await runNode(dir, ["out/main.js"], site.env);
    expect(ran.exitCode, ran.stderr).toBe(0);
    const post = { id: 1, title: "Hello", content: "<p>World</p>", status: "draft", tags: ["first"] };
    expect(JSON.parse(ran.stdout)).toEqual({
      created: post,
      read: post,
      updated: "publish",
      listed: [1, ["Hello"]],
      deleted: { deleted: true, id: 1 },
      gone: ["TOOL_EXECUTION_FAILED", expect.stringContaining("There is no such post.")],
      wrong: "TOOL_INVALID_INPUT",
    });

    const php = await project.read("acme-posts.php");
    // Neither the order of a list nor a comment is drift.
    await project.write(
      "acme-posts.php",
      php.replace("'draft', 'pending'", "'pending', /* first */ 'draft'"),
    );
    await project.prints("check", 0);
    await project.write("acme-posts.php", php.replace("'private' );", "'archived' );"));
    const removed = ["input-enum-value-removed", '"private"', "npx mcp-codegen pull wordpress"];
    await project.prints("check", 1, ...removed);
    await project.prints("pull", 0);
    expect(await project.read("generated/wordpress/create-post.ts")).toContain('"archived"');
    await project.prints("check", 0);
  },
);
