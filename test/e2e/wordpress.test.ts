/** The main job on a WordPress: abilities registered in PHP, pulled, compiled, called, changed in PHP, found, pulled. */
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";
import { AUTH, startSite, type RunningSite } from "../wordpress/start-site.js";
import { COMPILERS, compile, type Ended, linkPackages, runBinary, runNode } from "./user-project.js";

const PLUGIN = fileURLToPath(new URL("../wordpress/mu-plugins/acme-posts.php", import.meta.url));

describe.skipIf(!hasPhp)(`a WordPress${WITH_PHP}`, () => {
  let dir: string;
  let site: RunningSite;
  let env: Record<string, string>;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "mcp-codegen-wordpress-"));
    await cp(fileURLToPath(new URL("wordpress-app", import.meta.url)), dir, { recursive: true });
    await linkPackages(dir);
    await cp(PLUGIN, join(dir, "acme-posts.php"));
    site = await startSite({ plugins: [join(dir, "acme-posts.php")] });
    env = site.env;
    const wordpress = {
      url: "${WP_URL}/wp-json/mcp/mcp-adapter-default-server",
      auth: AUTH,
      tools: { stripPrefix: "acme-" },
    };
    await writeFile(join(dir, "mcp-codegen.config.json"), JSON.stringify({ servers: { wordpress } }));
  });

  afterAll(async () => {
    await site.close();
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  });

  const run = (...argv: readonly string[]): Promise<Ended> => runBinary(dir, argv, env);

  it("pulls the abilities", async () => {
    const pulled = await run("pull");
    expect(pulled.stdout + pulled.stderr).toContain("wordpress new, 5 tools, contract 1.0.0");
    expect(pulled.stdout).not.toContain("note:");
    expect(pulled.exitCode).toBe(0);
    const lock = await readFile(join(dir, "mcp-codegen.lock.json"), "utf8");
    expect(lock).toContain('"category": "content"');
    expect(lock).toContain('"name": "acme/get-post"');
    expect(lock).not.toMatch(/abcd efgh|127\.0\.0\.1/);
    expect(await run("check", "--full")).toMatchObject({ exitCode: 0 });
  });

  it.each(COMPILERS)(
    "compiles under TypeScript %s, and creates, reads, updates, deletes a post",
    async (version, compiler) => {
      const out = `out-${version}`;
      expect(await compile(dir, compiler, out)).toMatchObject({ exitCode: 0, stdout: "" });
      const { exitCode, stdout, stderr } = await runNode(dir, [`${out}/main.js`], env);
      expect(exitCode, stderr).toBe(0);
      const post = { id: 1, title: "Hello", content: "<p>World</p>", status: "draft", tags: ["first"] };
      expect(JSON.parse(stdout)).toEqual({
        created: post,
        read: post,
        updated: "publish",
        listed: [1, ["Hello"]],
        deleted: { deleted: true, id: 1 },
        gone: ["TOOL_EXECUTION_FAILED", expect.stringContaining("There is no such post.")],
        wrong: "TOOL_INVALID_INPUT",
      });
    },
  );

  it("fails with the changes if the PHP changes, and passes after a pull", async () => {
    const path = join(dir, "acme-posts.php");
    const php = await readFile(path, "utf8");
    await writeFile(path, php.replace("'private' );", "'archived' );"));
    const failed = await run("check");
    expect(failed.exitCode).toBe(1);
    expect(failed.stdout).toContain("input-enum-value-removed");
    expect(failed.stdout).toContain('"private"');
    expect(failed.stdout + failed.stderr).toContain("npx mcp-codegen pull wordpress");
    const pulled = await run("pull");
    expect(pulled.exitCode).toBe(0);
    expect(await readFile(join(dir, "generated/wordpress/create-post.ts"), "utf8")).toContain('"archived"');
    expect(await run("check")).toMatchObject({ exitCode: 0 });
  });

  it("passes if only a list's order or a comment changes", async () => {
    const path = join(dir, "acme-posts.php");
    const php = await readFile(path, "utf8");
    await writeFile(path, php.replace("'draft', 'pending'", "'pending', /* first */ 'draft'"));
    expect(await run("check")).toMatchObject({ exitCode: 0 });
  });
});
