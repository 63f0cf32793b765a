/** Compares PHP, sites and lock, to find which of them is behind. */
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";
import { AUTH, startSite } from "../wordpress/start-site.js";
import { makeProject, type Project } from "./make-project.js";

const PLUGIN = fileURLToPath(new URL("../wordpress/mu-plugins/acme-posts.php", import.meta.url));

interface Sites {
  readonly project: Project;
  /** Replaces a text in the PHP of the working copy, or of a site. */
  readonly change: (where: "here" | "live" | "sandbox", from: string, to: string) => Promise<void>;
  readonly env: Record<string, string>;
}

/** A working copy and two sites with the same plugin, pulled from the first. */
async function startSites(): Promise<Sites> {
  const project = await makeProject();
  const files = {
    here: join(project.dir, "acme-posts.php"),
    live: join(project.dir, "live.php"),
    sandbox: join(project.dir, "sandbox.php"),
  };
  await Promise.all(Object.values(files).map((file) => cp(PLUGIN, file)));
  const [live, sandbox] = await Promise.all([
    startSite({ plugins: [files.live] }),
    startSite({ plugins: [files.sandbox] }),
  ]);
  onTestFinished(() => live.close());
  onTestFinished(() => sandbox.close());
  const at = (name: string): string => `\${${name}}/wp-json/mcp/mcp-adapter-default-server`;
  const wordpress = {
    url: at("LIVE"),
    auth: AUTH,
    environments: { sandbox: { url: at("SANDBOX"), auth: AUTH } },
    php: { paths: ["acme-posts.php"] },
  };
  await writeFile(join(project.dir, "mcp-codegen.config.json"), JSON.stringify({ servers: { wordpress } }));
  const env = { ...live.env, LIVE: live.site, SANDBOX: sandbox.site };
  await project.withEnv(env).prints("pull", 0);
  return {
    project,
    env,
    change: async (where, from, to) => {
      const text = await readFile(files[where], "utf8");
      expect(text).toContain(from);
      await writeFile(files[where], text.replace(from, to));
    },
  };
}

const ENUM = ["'private' );", "'archived' );"] as const;
const ARGV = ["check", "--php", "--env", "all"];

it.skipIf(!hasPhp)(
  `check --php --env all names what is behind: PHP, a site or the lock${WITH_PHP}`,
  async () => {
    const { project, env, change } = await startSites();
    const check = (): ReturnType<Project["runJson"]> => project.runJson(ARGV, env);
    const agreed = await check();
    expect(agreed.document).toMatchObject({
      exitCode: 0,
      changes: [],
      environments: [{ environments: [null, "sandbox", "php"], rows: [] }],
    });
    expect(agreed.stderr).toContain("checked 3 environments of 1 server");

    await change("here", ...ENUM);
    const ahead = await check();
    expect(ahead.document).toMatchObject({ exitCode: 1, repairs: ["npx mcp-codegen pull --php wordpress"] });
    expect(ahead.stderr).toMatch(
      /acme-create-post +as locked +as locked +breaking +lock, \(own settings\), sandbox/,
    );
    expect(ahead.stderr).toMatch(/acme-posts\.php:9 defines it/);

    await change("live", ...ENUM);
    await change("sandbox", ...ENUM);
    expect((await check()).stderr).toMatch(/acme-create-post +breaking +breaking +breaking +lock\n/);

    // Where the lock equals PHP, no pull is proposed.
    const [from, to] = ENUM;
    await change("here", to, from);
    await change("live", to, from);
    const behind = await check();
    expect(behind.document).toMatchObject({ exitCode: 1, repairs: [] });
    expect(behind.stderr).toMatch(/acme-create-post +as locked +breaking +as locked +sandbox\n/);
    expect(behind.stderr).toContain("deploy it to sites that are behind");
    const changes = behind.document["changes"] as readonly { readonly php?: unknown }[];
    expect(changes.filter(({ php }) => php !== undefined)).toEqual([]);

    const config = await project.read("mcp-codegen.config.json");
    await project.write("mcp-codegen.config.json", config.replace('"sandbox"', '"php"'));
    await project.withEnv(env).refuses(ARGV, 'The environment "php" of "wordpress"');
  },
);
