/** `mcp-codegen doctor`: each line of a problem names its fix, and the fix removes the line. */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { examineNode } from "../../src/cli/commands/setup/doctor.js";
import { examineRepository } from "../../src/cli/commands/setup/examine.js";
import { examineTsconfig } from "../../src/cli/commands/setup/examine-tsconfig.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { hasPhp } from "../sources/php/has-php.js";
import { makeProject, makePulled, openAt, type Project } from "./make-project.js";
import { linkPackages } from "./user-project.js";

interface Diagnosed {
  readonly exitCode: number;
  /** `status about message`, without those that are ok. */
  readonly problems: readonly string[];
  readonly fixes: readonly unknown[];
}

async function diagnose(
  project: Project,
  argv: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Diagnosed> {
  const { exitCode, document } = await project.runJson(["doctor", ...argv], env);
  const problems = (document["diagnoses"] as readonly JsonObject[]).filter(({ status }) => status !== "ok");
  return {
    exitCode,
    problems: problems.map((one) => ["status", "about", "message"].map((key) => textOf(one[key])).join(" ")),
    fixes: problems.map(({ fix }) => fix),
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

const STRICT = { compilerOptions: { module: "nodenext", strict: true } };
const shop = fixtureCommand("paged");

/** A project in which nothing is to fix. */
async function makeHealthy(): Promise<Project> {
  const project = await makePulled({ servers: { shop } });
  await linkPackages(project.dir);
  // It starts in a third of the time of the others, which have tests below.
  await linkCompiler(project, "typescript-7");
  execFileSync("git", ["init", "--quiet"], { cwd: project.dir });
  await project.writeJson("tsconfig.json", STRICT);
  await project.write(".gitattributes", "generated/** linguist-generated text eol=lf -merge\n");
  await project.writeJson("package.json", { scripts: { ci: "mcp-codegen check" } });
  return project;
}

async function linkCompiler({ dir }: Project, name: string): Promise<void> {
  await symlink(resolve("node_modules", name), join(dir, "node_modules/typescript"), "junction");
}

describe("doctor", () => {
  it("finds nothing to fix in a healthy project", async () => {
    const project = await makeHealthy();
    const { stdout } = await project.prints(
      ["doctor"],
      0,
      'ok         "shop" answers as locked.',
      'ok         "tsconfig.json" resolves the imports of generated code.',
      'ok         "package.json" runs mcp-codegen check.',
    );
    expect(stdout.trimEnd().endsWith("Nothing to fix.")).toBe(true);
  });

  it("begins without a configuration, and with a broken one", async () => {
    const project = await makeProject();
    expect(await diagnose(project)).toMatchObject({
      exitCode: 1,
      problems: ["failed configuration No configuration was found."],
      fixes: ['Run "npx mcp-codegen init".'],
    });
    await project.write("mcp-codegen.config.json", '{ "servers": { "shop": { "ulr": "x" } } }');
    const { exitCode, problems } = await diagnose(project);
    expect(exitCode).toBe(1);
    expect(problems.join()).toContain('"ulr"');
  });

  it("lists each problem of a configuration with a fix, and looks at git all the same", async () => {
    const project = await makeProject();
    execFileSync("git", ["init", "--quiet"], { cwd: project.dir });
    await project.write(
      "mcp-codegen.config.json",
      JSON.stringify({ servers: { shop: { ...shop, protocol: "x" } }, check: { failOn: "x" } }, undefined, 1),
    );
    const { problems, fixes } = await diagnose(project);
    expect(problems).toEqual([
      expect.stringMatching(/^failed configuration .*protocol/),
      expect.stringMatching(/^failed configuration .*failOn/),
      expect.stringContaining("warning ci "),
    ]);
    expect(fixes).not.toContain(undefined);
  });

  it("asks the servers of a project without a lock, and sees what git will ignore", async () => {
    const project = await makeHealthy();
    const servers = { shop, gone: { file: "gone.json" }, away: { command: "no-such-command" } };
    await project.configure({ servers });
    await rm(join(project.dir, "mcp-codegen.lock.json"));
    await rm(join(project.dir, "generated"), { recursive: true });
    await project.write(".gitignore", "generated/\nnode_modules/\n");
    await project.write("app.ts", "export {};\n");
    const { stdout } = await project.run(["doctor"]);
    expect(stdout).toContain('ok         "shop" answers.');
    const { problems } = await diagnose(project);
    expect(problems).toEqual([
      expect.stringContaining("failed lock "),
      expect.stringContaining('unchecked server "gone": '),
      expect.stringContaining('unchecked server "away": '),
      'failed git Git ignores "generated/index.ts", so CI cannot compare anything with it.',
    ]);
  });

  it("names a lock, packages and files that are missing, with the commands that fix them", async () => {
    const project = await makeProject({ servers: { shop } });
    const { problems, fixes } = await diagnose(project, ["--offline"]);
    expect(problems).toEqual([
      'failed packages "generated" cannot import all packages that generated code needs.',
      expect.stringContaining("failed lock "),
    ]);
    expect(fixes).toEqual([
      'Run "npm install mcp-codegen zod".',
      expect.stringContaining("npx mcp-codegen pull"),
    ]);
    await project.run(["pull"]);
    await linkPackages(project.dir);
    await project.configure({ servers: { shop, other: fixtureCommand("drifted") } });
    const stale = await diagnose(project, ["--offline"]);
    expect(stale.problems).toContain('failed lock Server "other" is configured but not locked.');
  });

  it.each([
    [
      { module: "commonjs", moduleResolution: "node10", strict: true, ignoreDeprecations: "6.0" },
      "does not resolve",
    ],
    [{ module: "nodenext", strict: false }, "is not strict"],
  ])("judges the TypeScript configuration %j", async (compilerOptions, message) => {
    const project = await makeHealthy();
    await project.writeJson("tsconfig.json", { compilerOptions });
    const { problems } = await diagnose(project, ["--offline"]);
    expect(problems).toEqual([expect.stringContaining(`"tsconfig.json" ${message}`)]);
  });

  // The newest compiler prints the options of a project that it cannot read, as if nothing were wrong.
  describe.each(["typescript-5.9", "typescript", "typescript-7"])("with %s", (compiler) => {
    const examine = async (text: string): Promise<readonly object[]> => {
      const project = await makeProject();
      await mkdir(join(project.dir, "node_modules"));
      await linkCompiler(project, compiler);
      await project.write("app.ts", "export {};\n");
      await project.write("tsconfig.json", text);
      return await examineTsconfig(openAt(project.dir));
    };

    it("accepts a strict TypeScript configuration", async () => {
      expect(await examine(JSON.stringify(STRICT))).toMatchObject([{ status: "ok" }]);
    });

    it.each([
      ['{"compilerOptions":{"module":', "tsconfig.json:1:30: Expression expected."],
      ['{"compilerOptions":{"module":"nodenext","strict":true}', "tsconfig.json:2:1: '}' expected."],
      ['{"extends":"./gone.json"}', "gone.json"],
      ['{"extends":"@tsconfig/gone"}', "@tsconfig/gone"],
      ['{"compilerOptions":{"module":"nodnext"}}', "--module"],
    ])("says what is wrong with the TypeScript configuration %s", async (text, reason) => {
      const found = await examine(`${text}\n`);
      expect(found).toMatchObject([
        {
          status: "failed",
          message: expect.stringMatching(/^TypeScript cannot read "tsconfig\.json": /) as unknown,
          fix: 'Correct it until "npx tsc -p tsconfig.json --noEmit" can read it.',
        },
      ]);
      expect(JSON.stringify(found)).toContain(reason);
    });
  });

  it("names variables that are not set, and never a value", async () => {
    const project = await makeHealthy();
    const token = { env: { TOKEN: "${SHOP_TOKEN}" } };
    const staging = { url: "https://${STAGING_HOST}/mcp" };
    await project.configure({ servers: { shop: { ...shop, ...token, environments: { staging } } } });
    const { exitCode, problems } = await diagnose(project);
    expect(exitCode).toBe(1);
    expect(problems.slice(0, 2)).toEqual([
      expect.stringContaining('failed variables Variable "SHOP_TOKEN" is not set'),
      expect.stringContaining('warning variables Variable "STAGING_HOST" is not set'),
    ]);
    const set = await project.run(["doctor"], { SHOP_TOKEN: "s3cret-value", STAGING_HOST: "h" });
    expect(set.stdout + set.stderr).not.toContain("s3cret-value");
    expect(set.stdout).not.toContain("SHOP_TOKEN");
  });

  it("asks every server, and exits 3 for one that does not answer", async () => {
    const project = await makeHealthy();
    const fixture = await startFixture("paged");
    const both = { shop: { ...shop, args: [...shop.args, "--era", "both"] }, other: { url: fixture.url } };
    await project.configure({ servers: both });
    await project.run(["pull"]);
    await fixture.close();
    const { exitCode, problems } = await diagnose(project);
    expect(exitCode).toBe(3);
    expect(problems).toEqual([expect.stringContaining('unchecked server "other": The server at')]);
    expect((await diagnose(project, ["--offline"])).problems).toEqual([]);
  });

  it("names a login that is missing", async () => {
    const project = await makeHealthy();
    const bank = { url: "http://127.0.0.1:9/mcp", auth: { type: "oauth" } };
    await project.configure({ servers: { shop, bank } });
    const { problems, fixes } = await diagnose(project, ["--offline"]);
    expect(problems).toContain('failed login You are not logged in to "bank".');
    expect(fixes).toContain('Run "npx mcp-codegen login bank".');
  });

  it.each(["{", '{"waivers":[{"tol":""}]}'])(
    "says how to fix a file of waivers that has %s",
    async (text) => {
      const project = await makeHealthy();
      await project.write("mcp-codegen.waivers.json", text);
      const { problems, fixes } = await diagnose(project, ["--offline"]);
      expect(problems).toEqual([expect.stringContaining('"mcp-codegen.waivers.json" is invalid at ')]);
      expect(fixes).toEqual([
        expect.stringContaining("node_modules/mcp-codegen/docs/schemas/waivers.schema.json"),
      ]);
    },
  );

  it.each([
    ["5.8.3", "TypeScript 5.8.3 is too old for generated code."],
    ["5.9.2", undefined],
  ])("judges TypeScript %s", async (version, message) => {
    const project = await makeProject({ servers: { shop } });
    await linkPackages(project.dir);
    await mkdir(join(project.dir, "node_modules/typescript"));
    await project.writeJson("node_modules/typescript/package.json", { version });
    const { problems, fixes } = await diagnose(project, ["--offline"]);
    const found = problems.findIndex((problem) => problem.startsWith("failed packages"));
    expect(problems[found]).toBe(message === undefined ? undefined : `failed packages ${message}`);
    expect(fixes[found]).toBe(message === undefined ? undefined : 'Run "npm install -D typescript@latest".');
  });

  it("looks for the PHP of servers that it asks", async () => {
    const project = await makeHealthy();
    const php = { paths: ["plugins/gone"] };
    await project.configure({ servers: { shop: { ...shop, php } } });
    const { problems, fixes } = await diagnose(project, ["--offline"]);
    const failed = problems.findIndex((problem) => problem.startsWith("failed php"));
    expect(problems[failed]).toBe('failed php servers.shop.php.paths: "plugins/gone" does not exist.');
    expect(fixes[failed]).toContain("Name a plugin's folder");
  });

  it("names the WordPress in which plugins are read, and how it was found", async () => {
    const project = await makeHealthy();
    const core = await realpath(await mkdtemp(join(tmpdir(), "doctor-core-")));
    onTestFinished(() => rm(core, { recursive: true, force: true }));
    await mkdir(join(core, "wp-includes/abilities-api"), { recursive: true });
    await writeFile(join(core, "wp-settings.php"), "<?php\n");
    const makeCore = (version: string, php: string): Promise<void> =>
      writeFile(
        join(core, "wp-includes/version.php"),
        `<?php\n$wp_version = '${version}';\n$required_php_version = '${php}';\n`,
      );
    await makeCore("7.1.1", "7.4");
    await project.write("acme.php", "<?php\n/* Plugin Name: Acme */\n");
    const php = { paths: ["acme.php"] };
    const site = { paths: ["acme.php"], wordpress: "." };
    const servers = { shop: { ...shop, php }, other: { ...shop, php: site } };
    await project.configure({ servers });
    const cache = join(core, "cache");
    const env = { XDG_CACHE_HOME: cache, WP_CORE_DIR: core };
    const { stdout } = await project.run(["doctor", "--offline"], env);
    expect(stdout).toContain(
      `ok         The PHP of "shop" is read in WordPress 7.1.1 in ${JSON.stringify(core)} (WP_CORE_DIR).`,
    );
    expect(stdout.match(/is read in/g)).toHaveLength(1);
    const aboutCore = async (env: NodeJS.ProcessEnv): Promise<unknown> => {
      const { problems, fixes } = await diagnose(project, ["--offline"], { XDG_CACHE_HOME: cache, ...env });
      const at = problems.findIndex((problem) => /^failed php .*(?:WordPress|WP_CORE_DIR)/.test(problem));
      return [problems[at], fixes[at]];
    };
    expect(await aboutCore({ WP_CORE_DIR: "" })).toEqual([
      'failed php The PHP of "shop" cannot be read: no WordPress 6.9 or later was found.',
      expect.stringContaining("composer require --dev roots/wordpress-no-content"),
    ]);
    await makeCore("6.8", "7.4");
    expect(await aboutCore(env)).toEqual([
      `failed php WP_CORE_DIR: ${JSON.stringify(core)} has WordPress 6.8, and abilities need 6.9 or later.`,
      expect.stringContaining("Set it to the folder of a WordPress 6.9 or later"),
    ]);
    await makeCore("99.0", "99.0");
    if (hasPhp)
      expect(await aboutCore(env)).toEqual([
        expect.stringMatching(
          /^failed php PHP [\d.]+ is too old for WordPress 99\.0 in .* \(WP_CORE_DIR\)\.$/,
        ),
        "Install PHP 99.0 or later.",
      ]);
  });

  it("names a lock that is not committed, in a repository with commits", async () => {
    const project = await makeHealthy();
    const git = (...argv: readonly string[]): void => {
      const name = ["-c", "user.name=n", "-c", "user.email=n@example.com"];
      execFileSync("git", [...name, ...argv], { cwd: project.dir });
    };
    git("add", "package.json");
    git("commit", "--quiet", "-m", "first");
    const { exitCode, problems, fixes } = await diagnose(project, ["--offline"]);
    expect(exitCode).toBe(1);
    expect(problems).toEqual([
      'failed git "mcp-codegen.lock.json" is not in git, so CI has nothing to compare with.',
    ]);
    expect(fixes).toEqual(['Run "git add mcp-codegen.lock.json", and commit it.']);
    git("add", "mcp-codegen.lock.json");
    expect((await diagnose(project, ["--offline"])).problems).toEqual([]);
    git("rm", "--quiet", "--cached", "mcp-codegen.lock.json");
    await project.write(".gitignore", "*.lock.json\n");
    expect((await diagnose(project, ["--offline"])).problems).toEqual([
      expect.stringContaining("failed git Git ignores"),
    ]);
    await project.write(".gitignore", "");
    await rm(join(project.dir, "mcp-codegen.lock.json"));
    expect((await diagnose(project, ["--offline"])).problems.join()).not.toContain("failed git");
  });

  it.each([
    [".env.local", []],
    [".env", []],
    ["secrets.env", ["--env-file", "secrets.env"]],
  ])("warns when git does not ignore %s", async (name, argv) => {
    const project = await makeHealthy();
    expect((await diagnose(project, ["--offline"])).problems).toEqual([]);
    await project.write(name, "TOKEN=s3cret-value\n");
    const { exitCode, problems, fixes } = await diagnose(project, ["--offline", ...argv]);
    expect(exitCode).toBe(0);
    expect(problems).toEqual([
      `warning git Git does not ignore "${name}", so a commit may publish the secrets that it has.`,
    ]);
    expect(fixes).toEqual([`Add to .gitignore: ${name}`]);
    execFileSync("git", ["add", name], { cwd: project.dir });
    await project.write(".gitignore", `${name}\n`);
    const tracked = await diagnose(project, ["--offline", ...argv]);
    expect(tracked.problems).toEqual([`warning git "${name}" is in git, with all secrets that it has.`]);
    expect(JSON.stringify(tracked)).not.toContain("s3cret-value");
    execFileSync("git", ["rm", "--quiet", "--cached", name], { cwd: project.dir });
    expect((await diagnose(project, ["--offline", ...argv])).problems).toEqual([]);
  });

  it("looks at git and CI", async () => {
    const project = await makeHealthy();
    await project.write(".gitattributes", "");
    await project.write(".gitignore", "generated\n");
    await project.write("package.json", "{}");
    const { problems, fixes } = await diagnose(project, ["--offline"]);
    expect(problems).toEqual([
      'failed git Git ignores "generated/index.ts", so CI cannot compare anything with it.',
      "warning git Generated code is not marked as such, so reviews show all of it. Git writes merge markers into generated code.",
      "warning ci No CI file runs mcp-codegen check, so drift is found only by hand.",
    ]);
    expect(fixes[1]).toBe("Add to .gitattributes: generated/** linguist-generated text eol=lf -merge");
    await mkdir(join(project.dir, ".github/workflows"), { recursive: true });
    await project.write(".github/workflows/ci.yml", "steps:\n  - run: npx mcp-codegen check\n");
    expect((await diagnose(project, ["--offline"])).problems.join()).not.toContain("warning ci");
  });

  const action = "steps:\n  - name: Contract\n    uses: mcp-codegen/mcp-codegen@v0";
  it.each([
    ["steps:\n  # - run: npx mcp-codegen check\n", false],
    ["steps:\n  - run: npm test # not npx mcp-codegen check\n", false],
    ["steps:\n  - run: npx mcp-codegen check # of all servers\n", true],
    [`${action}\n`, true],
    [`${action} # pinned\n    with:\n      mode: "check"\n`, true],
    [`${action}\n    with:\n      mode: \${{ inputs.mode }}\n`, true],
    [`${action}\n    with:\n      # mode: upgrade\n      servers: shop\n`, true],
    [`${action}\n    with:\n      mode: upgrade\n`, false],
    [`${action}\n    with: { servers: shop, mode: upgrade }\n`, false],
    [`${action}\n    with:\n      mode: upgrade\n  - uses: mcp-codegen/mcp-codegen@v0\n`, true],
    [`${action}\n  - uses: other/action@v1\n    with:\n      mode: upgrade\n`, true],
  ])("knows whether a CI file runs check: %j", async (text, isRun) => {
    const project = await makeProject();
    execFileSync("git", ["init", "--quiet"], { cwd: project.dir });
    await mkdir(join(project.dir, ".github/workflows"), { recursive: true });
    await project.write(".github/workflows/ci.yml", text);
    const found = await examineRepository(project.dir, undefined);
    expect(found.find(({ about }) => about === "ci")?.status).toBe(isRun ? "ok" : "warning");
  });

  it.each([
    ["20.19.0", "ok"],
    ["24.1.0", "ok"],
    ["20.18.3", "failed"],
    ["18.20.0", "failed"],
  ])("judges Node %s", (version, status) => {
    expect(examineNode(version).status).toBe(status);
  });
});
