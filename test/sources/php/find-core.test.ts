import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { McpCodegenError } from "../../../src/core/errors.js";
import {
  type Core,
  CORE_VERSION,
  coreFolder,
  findCore,
  type FindCoreOptions,
  NoCoreError,
} from "../../../src/sources/php/find-core.js";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "find-core-")));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, text = ""): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Writes the files of a WordPress that are looked at. */
function makeCore(folder: string, version = "7.1.1"): void {
  const lines = [`$wp_version = '${version}';`, "$required_php_version = '7.4';"];
  write(
    `${folder}/wp-includes/version.php`,
    `<?php\n/**\n * @global string $wp_version\n */\n${lines.join("\n")}\n`,
  );
  write(`${folder}/wp-includes/abilities-api/class-wp-ability.php`);
  write(`${folder}/wp-settings.php`);
}

function find(options: Partial<FindCoreOptions> = {}): Promise<Core> {
  return findCore({ server: "acme", paths: ["plugin"], dir: join(root, "project"), env: {}, ...options });
}

async function refusalOf(found: Promise<Core>): Promise<McpCodegenError> {
  const error: unknown = await found.then(
    () => "It was found.",
    (reason: unknown) => reason,
  );
  if (error instanceof McpCodegenError) return error;
  throw error;
}

const STUDIO = "node_modules/wp-studio/dist/cli/wp-files/latest/wordpress";
const composer = (json: object = {}): void => {
  write("project/composer.json", JSON.stringify(json));
};

describe("findCore", () => {
  const ROWS: [how: string, folder: string, by: string, set: Partial<FindCoreOptions>, make?: () => void][] = [
    ["php.core, from the configuration's folder", "wp", "php.core", { core: "../wp" }],
    ["WP_CORE_DIR", "wp", "WP_CORE_DIR", { env: { WP_CORE_DIR: "../wp/" } }],
    ["the site around the project", ".", "above the plugins", {}],
    ["the site around a plugin", "site", "above the plugins", { paths: ["../site/wp-content/plugins/acme"] }],
    ["the site around a file", "site", "above the plugins", { paths: ["../site/wp-content/mu-plugins/a.php"] }],
    ["Bedrock", "project/web/wp", "Composer", { paths: ["web/app/plugins/acme"] }, () => { composer({ extra: { "wordpress-install-dir": "web/wp" } }); }],
    ["a folder of Composer for each package", "project/cms", "Composer", {}, () => { composer({ extra: { "wordpress-install-dir": { "johnpbloch/wordpress": "cms" } } }); }],
    ["the default folder of Composer's installers", "project/wordpress", "Composer", {}, composer],
    ["roots/wordpress-no-content", "project/vendor/roots/wordpress-no-content", "Composer", {}, composer],
    ["johnpbloch/wordpress-core", "project/vendor/johnpbloch/wordpress-core", "Composer", {}, composer],
    ["another folder of vendors", "project/lib/roots/wordpress-no-content", "Composer", {}, () => { composer({ config: { "vendor-dir": "lib" } }); }],
    ["the Composer of the plugin", "other/vendor/roots/wordpress-no-content", "Composer", { paths: ["../other/src"] }, () => { write("other/composer.json", "{}"); }],
    ["Composer with a composer.json that is not JSON", "project/vendor/roots/wordpress-no-content", "Composer", {}, () => { write("project/composer.json", "{"); }],
    ["wp-studio", `project/${STUDIO}`, "wp-studio", {}],
    ["wp-studio above the configuration", STUDIO, "wp-studio", {}],
    ["the downloaded one", `cache/mcp-codegen/wordpress-${CORE_VERSION}`, "downloaded", {}],
  ]; // prettier-ignore

  it.each(ROWS)("finds %s", async (_, folder, by, set, make) => {
    makeCore(folder);
    make?.();
    const env = { XDG_CACHE_HOME: join(root, "cache"), ...set.env };
    const core = await find({ ...set, env });
    expect(core).toEqual({ folder: join(root, folder), version: "7.1.1", oldestPhp: "7.4", by });
  });

  it("takes them in this order", async () => {
    const places: readonly (readonly [by: string, folder: string])[] = [
      ["downloaded", `cache/mcp-codegen/wordpress-${CORE_VERSION}`],
      ["wp-studio", `project/${STUDIO}`],
      ["Composer", "project/vendor/roots/wordpress-no-content"],
      ["above the plugins", "."],
    ];
    composer();
    const env = { XDG_CACHE_HOME: join(root, "cache") };
    for (const [by, folder] of places) {
      makeCore(folder);
      expect(await find({ env })).toMatchObject({ by });
    }
    makeCore("wp");
    const named = { ...env, WP_CORE_DIR: join(root, "wp") };
    expect(await find({ env: named })).toMatchObject({ by: "WP_CORE_DIR" });
    expect(await find({ env: named, core: join(root, "wp") })).toMatchObject({ by: "php.core" });
    expect(await find({ env: { ...env, WP_CORE_DIR: "" } })).toMatchObject({ by: "above the plugins" });
  });

  it("returns the folder without links", async () => {
    makeCore("wp");
    symlinkSync(join(root, "wp"), join(root, "link"), "junction");
    expect(await find({ core: "../link" })).toMatchObject({ folder: join(root, "wp") });
  });

  it.each(["6.9", "6.9-RC2", "6.9.7", "7.0-alpha-61215-src", "10.0"])(
    "accepts WordPress %s",
    async (version) => {
      makeCore("wp", version);
      expect(await find({ core: "../wp" })).toMatchObject({ version });
    },
  );

  const VERSION = "wp-includes/version.php";
  /** What a folder is, its files, and what a complete WordPress of a version lacks then. */
  const BAD: readonly (readonly [problem: string, files: readonly string[], version: string, lacks: string])[] = [
    ["does not exist", [], "", ""],
    ["is not a folder", ["wp"], "", ""],
    [`is not a WordPress: it has no "${VERSION}"`, ["wp/index.php"], "", ""],
    [`is damaged: "${VERSION}" names no version`, [`wp/${VERSION}`], "", ""],
    [`is damaged: "${VERSION}" names no version`, [], "\u001b[31m7", ""],
    ["has WordPress 6.8.3, and abilities need 6.9 or later", [], "6.8.3", ""],
    ["has WordPress 5.9, and abilities need 6.9 or later", [], "5.9", ""],
    ['is damaged: it has no "wp-settings.php"', [], "7.1.1", "wp-settings.php"],
    ['is damaged: it has no "wp-includes/abilities-api"', [], "7.1.1", "wp-includes/abilities-api"],
  ]; // prettier-ignore

  it.each(BAD)("refuses a php.core and a WP_CORE_DIR that %s", async (problem, files, version, lacks) => {
    for (const path of files) write(path, "<?php\n");
    if (version !== "") makeCore("wp", version);
    if (lacks !== "") rmSync(join(root, "wp", lacks), { recursive: true });
    // Another one is not used instead.
    makeCore(".");
    expect(await refusalOf(find({ core: "../wp" }))).toMatchObject({
      code: "CONFIG_INVALID",
      message: `servers.acme.php.core: "../wp" ${problem}.`,
      hint: 'Set it to the folder of a WordPress 6.9 or later, in which "wp-settings.php" is.',
    });
    const value = join(root, "wp");
    const error = await refusalOf(find({ env: { WP_CORE_DIR: value } }));
    const message = `WP_CORE_DIR: ${JSON.stringify(value)} ${problem}.`;
    expect(error).toMatchObject({ code: "PHP_FAILED", message });
    expect(error).not.toBeInstanceOf(NoCoreError);
  });

  it("names a path through a file", async () => {
    write("wp");
    const { message } = await refusalOf(find({ core: "../wp/inside" }));
    expect(message).toMatch(
      /^servers\.acme\.php\.core: "\.\.\/wp\/inside" (?:does not exist|cannot be read: ENOTDIR.*)\.$/,
    );
  });

  it("names the ways to get one, if none is found", async () => {
    const error = await refusalOf(find());
    expect(error).toBeInstanceOf(NoCoreError);
    expect(error).toMatchObject({
      code: "PHP_FAILED",
      exitCode: 3,
      message: 'The PHP of "acme" cannot be read: no WordPress 6.9 or later was found.',
    });
    for (const way of ["composer require", "php.core", "WP_CORE_DIR", "offers to download"])
      expect(error.hint).toContain(way);
  });

  it("skips those that are too old or damaged, and names them if nothing else is found", async () => {
    makeCore(".", "6.5");
    makeCore(`project/${STUDIO}`);
    rmSync(join(root, `project/${STUDIO}/wp-settings.php`));
    const { message } = await refusalOf(find());
    expect(message.split(". ").slice(1).join(". ")).toBe(
      [
        `${JSON.stringify(root)} has WordPress 6.5, and abilities need 6.9 or later.`,
        `${JSON.stringify(join(root, "project", STUDIO))} is damaged: it has no "wp-settings.php".`,
      ].join(" "),
    );
    makeCore(STUDIO);
    expect(await find()).toMatchObject({ folder: join(root, STUDIO) });
  });

  const isRoot = process.getuid?.() === 0;
  it.skipIf(!isRoot)(
    `runs nothing of another user${isRoot ? "" : " (skipped: only root can change owners)"}`,
    async () => {
      makeCore(".");
      chownSync(join(root, "wp-includes/version.php"), 12_345, 12_345);
      const { message } = await refusalOf(find());
      expect(message).toContain("belongs to another user (ID 12345), so it is not run.");
      // The user named this one.
      expect(await find({ core: ".." })).toMatchObject({ by: "php.core" });
    },
  );

  it("does not search beside a project without composer.json", async () => {
    makeCore("project/wordpress");
    expect(await refusalOf(find())).toBeInstanceOf(NoCoreError);
  });
});

describe("coreFolder", () => {
  it("is in the user's cache, and never in the project", () => {
    const name = `wordpress-${CORE_VERSION}`;
    const cache = join(root, "cache");
    expect(coreFolder({ XDG_CACHE_HOME: cache, HOME: root })).toBe(join(cache, "mcp-codegen", name));
    expect(coreFolder({ XDG_CACHE_HOME: "cache", HOME: root, LOCALAPPDATA: root })?.startsWith(root)).toBe(
      true,
    );
    expect(coreFolder({ HOME: "" })).toBeUndefined();
    expect(coreFolder({})).toBeUndefined();
  });
});
