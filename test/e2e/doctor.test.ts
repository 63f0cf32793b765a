/** `mcp-codegen doctor`: each line of a problem names its fix, and the fix removes the line. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { hasPhp } from "../sources/php/has-php.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "./make-project.js";
import { git } from "./git.js";
import { linkPackages } from "./user-project.js";

interface Diagnosed {
  readonly exitCode: number;
  /** `status about message`, without those that are ok. */
  readonly problems: readonly string[];
  readonly fixes: readonly unknown[];
}

async function diagnose(
  project: Project,
  line = "doctor --offline",
  env: NodeJS.ProcessEnv = {},
): Promise<Diagnosed> {
  const { exitCode, document } = await project.runJson(line, env);
  const all = document["diagnoses"] as readonly { readonly [key: string]: string | undefined }[];
  const open = all.filter(({ status }) => status !== "ok");
  const problems = open.map(({ status, about, message }) => `${status} ${about} ${message}`);
  return { exitCode, problems, fixes: open.map(({ fix }) => fix) };
}

const STRICT = { compilerOptions: { module: "nodenext", strict: true } };
const shop = fixtureCommand("paged");

/** A project in which nothing is to fix. */
async function makeHealthy(): Promise<Project> {
  const project = await makePulled({ servers: { shop } });
  await linkPackages(project.dir);
  // It starts in a third of the time of the others, which `test/cli/commands/setup/examine.test.ts` has.
  const compiler = resolve("node_modules/typescript-7");
  await symlink(compiler, join(project.dir, "node_modules/typescript"), "junction");
  await git(project.dir, "init", "--quiet");
  await project.writeJson("tsconfig.json", STRICT);
  await project.write(".gitattributes", "generated/** linguist-generated text eol=lf -merge\n");
  await project.writeJson("package.json", { scripts: { ci: "mcp-codegen check" } });
  return project;
}

it("finds nothing to fix in a healthy project, and then names each problem of variables, git and CI with its fix", async () => {
  const project = await makeHealthy();
  await project.prints(
    "doctor",
    0,
    'ok         "shop" answers as locked.',
    'ok         "tsconfig.json" resolves the imports of generated code.',
    'ok         "package.json" runs mcp-codegen check.',
    /Nothing to fix\.\s*$/,
  );
  // A lock in a repository with commits, and files with secrets.
  const aboutGit = async (): Promise<Diagnosed> => {
    const { exitCode, problems, fixes } = await diagnose(project, "doctor --offline --env-file secrets.env");
    const rows = problems.map((problem, at) => [problem, fixes[at]] as const);
    const sorted = rows.toSorted(([a], [b]) => (a < b ? -1 : 1));
    return { exitCode, problems: sorted.map(([problem]) => problem), fixes: sorted.map(([, fix]) => fix) };
  };
  const names = [".env", ".env.local", "secrets.env"];
  for (const name of names) await project.write(name, "TOKEN=s3cret-value\n");
  await project.write(".gitattributes", "");
  const attributes =
    "warning git Generated code is not marked as such, so reviews show all of it. Git writes merge markers into generated code.";
  const mark = "Add to .gitattributes: generated/** linguist-generated text eol=lf -merge";
  expect(await aboutGit()).toEqual({
    exitCode: 0,
    problems: [
      ...names.map(
        (name) =>
          `warning git Git does not ignore "${name}", so a commit may publish the secrets that it has.`,
      ),
      attributes,
    ].sort(),
    fixes: [mark, ...names.map((name) => `Add to .gitignore: ${name}`)],
  });
  await git(project.dir, "add", "package.json", ...names);
  await git(project.dir, "commit", "--quiet", "-m", "first");
  await project.write(".gitignore", `${names.join("\n")}\n`);
  await project.write("package.json", "{}");
  const tracked = await aboutGit();
  expect(tracked).toMatchObject({
    exitCode: 1,
    problems: [
      'failed git "mcp-codegen.lock.json" is not in git, so CI has nothing to compare with.',
      "warning ci No CI file runs mcp-codegen check, so drift is found only by hand.",
      ...names.map((name) => `warning git "${name}" is in git, with all secrets that it has.`),
      attributes,
    ],
    fixes: ['Run "git add mcp-codegen.lock.json", and commit it.', {}, {}, {}, {}, mark],
  });
  expect(JSON.stringify(tracked)).not.toContain("s3cret-value");
  await git(project.dir, "rm", "--quiet", "--cached", ...names);
  await git(project.dir, "add", LOCKFILE_NAME);
  expect((await aboutGit()).problems).toEqual([expect.stringContaining("warning ci "), attributes]);
  await git(project.dir, "rm", "--quiet", "--cached", LOCKFILE_NAME);
  await project.write(".gitignore", `*.lock.json\n${names.join("\n")}\n`);
  const ignored = await aboutGit();
  expect(ignored.problems).toMatchObject([expect.stringContaining("failed git Git ignores"), {}, {}]);
  await project.write(".gitignore", `${names.join("\n")}\n`);
  const lock = await project.read(LOCKFILE_NAME);
  await rm(join(project.dir, LOCKFILE_NAME));
  expect((await aboutGit()).problems.join("\n")).not.toContain("failed git");
  await project.write(LOCKFILE_NAME, lock);

  // Variables: never a value.
  const token = { env: { TOKEN: "${SHOP_TOKEN}" } };
  const staging = { url: "https://${STAGING_HOST}/mcp" };
  await project.configure({ servers: { shop: { ...shop, ...token, environments: { staging } } } });
  const { exitCode, problems } = await diagnose(project, "doctor");
  expect([exitCode, ...problems.slice(0, 2)]).toEqual([
    1,
    expect.stringContaining('failed variables Variable "SHOP_TOKEN" has no value'),
    expect.stringContaining('warning variables Variable "STAGING_HOST" has no value'),
  ]);
  const set = await project.run("doctor", { SHOP_TOKEN: "s3cret-value", STAGING_HOST: "h" });
  expect(set.stdout + set.stderr).not.toContain("s3cret-value");
  expect(set.stdout).not.toContain("SHOP_TOKEN");
});

it("begins without a configuration, and lists each problem of a broken one, with a fix", async () => {
  const project = await makeProject();
  await git(project.dir, "init", "--quiet");
  expect(await diagnose(project, "doctor")).toMatchObject({
    exitCode: 1,
    problems: ["failed configuration No configuration was found.", expect.stringContaining("warning ci ")],
    fixes: ['Run "npx mcp-codegen init".', {}],
  });
  const config = { servers: { shop: { ...shop, protocol: "x", ulr: "x" } }, check: { failOn: "x" } };
  await project.write("mcp-codegen.config.json", JSON.stringify(config, undefined, 1));
  const { exitCode, problems, fixes } = await diagnose(project, "doctor");
  expect([exitCode, [...problems].sort()]).toEqual([
    1,
    [
      expect.stringMatching(/^failed configuration .*"ulr"/),
      expect.stringMatching(/^failed configuration .*failOn/),
      expect.stringMatching(/^failed configuration .*protocol/),
      expect.stringContaining("warning ci "),
    ],
  ]);
  expect(fixes).not.toContain(undefined);
});

it("asks the servers, also of a project without a lock, and exits 3 for one that does not answer", async () => {
  const project = await makeHealthy();
  const fixture = await startFixture("paged");
  const both = { shop: { ...shop, args: [...shop.args, "--era", "both"] }, other: { url: fixture.url } };
  await project.configure({ servers: both });
  await project.prints("pull", 0);
  await fixture.close();
  const problems = [expect.stringContaining('unchecked server "other": The server at')];
  expect(await diagnose(project, "doctor")).toMatchObject({ exitCode: 3, problems });
  expect((await diagnose(project)).problems).toEqual([]);

  const servers = { shop, gone: { file: "gone.json" }, away: { command: "no-such-command" } };
  await project.configure({ servers });
  await rm(join(project.dir, LOCKFILE_NAME));
  await rm(join(project.dir, "generated"), { recursive: true });
  // Git will ignore what is not there yet.
  await project.write(".gitignore", "generated/\nnode_modules/\n");
  await project.write("app.ts", "export {};\n");
  const { document } = await project.runJson("doctor");
  expect(document["diagnoses"]).toContainEqual({ about: "server", status: "ok", message: '"shop" answers.' });
  expect(await diagnose(project, "doctor")).toMatchObject({
    exitCode: 1,
    problems: [
      expect.stringContaining("failed lock "),
      expect.stringContaining('unchecked server "gone": '),
      expect.stringContaining('unchecked server "away": '),
      'failed git Git ignores "generated/index.ts", so CI cannot compare anything with it.',
    ],
  });
});

it("names a lock and packages that are missing, and a TypeScript that is too old, with the commands that fix them", async () => {
  const lock = expect.stringContaining("failed lock ") as string;
  expect(await diagnose(await makeProject({ servers: { shop } }))).toMatchObject({
    problems: ['failed packages "generated" cannot import all packages that generated code needs.', lock],
    fixes: ['Run "npm install mcp-codegen zod".', expect.stringContaining("npx mcp-codegen pull")],
  });
  const ofVersion = async (version: string): Promise<Diagnosed> => {
    const project = await makeProject({ servers: { shop } });
    await linkPackages(project.dir);
    await project.writeJson("node_modules/typescript/package.json", { version });
    return diagnose(project);
  };
  expect(await ofVersion("5.8.3")).toMatchObject({
    problems: ["failed packages TypeScript 5.8.3 is too old for generated code.", lock],
    fixes: ['Run "npm install -D typescript@latest".', {}],
  });
  expect((await ofVersion("5.9.2")).problems).toEqual([lock]);
});

const waiversSchema = "node_modules/mcp-codegen/docs/schemas/waivers.schema.json";

it("names what is wrong with servers and waivers", async () => {
  const project = await makeHealthy();
  const expectProblems = async (...expected: readonly (readonly [problem: string, fix: string])[]) => {
    const { problems, fixes } = await diagnose(project);
    for (const [problem, fix] of expected) {
      const at = problems.findIndex((each) => each.includes(problem));
      expect([problems[at], fixes[at]], problem).toEqual([expect.any(String), expect.stringContaining(fix)]);
    }
  };
  await project.configure({ servers: { shop, other: fixtureCommand("drifted") } });
  await expectProblems(['failed lock Server "other" is configured but not locked.', "npx mcp-codegen pull"]);
  const login = { url: "http://127.0.0.1:9/mcp", auth: { type: "oauth" } };
  await project.configure({ servers: { shop: { ...login, php: { paths: ["plugins/gone"] } } } });
  for (const waivers of ["{", '{"waivers":[{"tol":""}]}']) {
    await project.write("mcp-codegen.waivers.json", waivers);
    await expectProblems(
      ['"mcp-codegen.waivers.json" is invalid at ', waiversSchema],
      ['failed login You are not logged in to "shop".', 'Run "npx mcp-codegen login shop".'],
      ['failed php servers.shop.php.paths: "plugins/gone" does not exist.', "Name a plugin's folder"],
    );
  }
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
  const { stdout } = await project.run("doctor --offline", env);
  expect(stdout).toContain(
    `ok         The PHP of "shop" is read in WordPress 7.1.1 in ${JSON.stringify(core)} (WP_CORE_DIR).`,
  );
  expect(stdout.match(/is read in/g)).toHaveLength(1);
  const aboutCore = async (env: NodeJS.ProcessEnv): Promise<unknown> => {
    const { problems, fixes } = await diagnose(project, undefined, { XDG_CACHE_HOME: cache, ...env });
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
      expect.stringMatching(/^failed php PHP [\d.]+ is too old for WordPress 99\.0 in .* \(WP_CORE_DIR\)\.$/),
      "Install PHP 99.0 or later.",
    ]);
});
