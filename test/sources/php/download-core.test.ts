import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { McpCodegenError } from "../../../src/core/errors.js";
import { downloadCore, type DownloadCoreOptions } from "../../../src/sources/php/download-core.js";
import { CORE_VERSION, findCore } from "../../../src/sources/php/find-core.js";
import { ARCHIVE, packArchive, serve, serveArchive, sha1, temporaryFolder, WORDPRESS } from "./serve-core.js";

const hasTar = ((): boolean => {
  try {
    execFileSync("tar", ["--version"]);
    return true;
  } catch {
    return false;
  }
})();
const NAME = `wordpress-${CORE_VERSION}`;
const HINT = "Download it yourself, and set WP_CORE_DIR to its folder.";

function environment(cache: string): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], XDG_CACHE_HOME: cache };
}

async function refusalOf(options: DownloadCoreOptions): Promise<McpCodegenError> {
  const error: unknown = await downloadCore(options).then(
    () => "It was downloaded.",
    (reason: unknown) => reason,
  );
  if (error instanceof McpCodegenError) return error;
  throw error;
}

/** Serves this instead of the archive, whose checksum is right. */
function serveInstead(
  answer: (response: ServerResponse, archive: Buffer) => unknown,
): ReturnType<typeof serve> {
  const archive = packArchive();
  return serve(({ url }, response) => {
    if (url === ARCHIVE) answer(response, archive);
    else response.end(sha1(archive));
  });
}

describe.skipIf(!hasTar)(`downloadCore${hasTar ? "" : " (skipped: tar is not installed)"}`, () => {
  it("keeps the files that PHP reads, for the user alone, and downloads once", async () => {
    const cache = temporaryFolder();
    const env = environment(cache);
    const { base, asked } = await serveArchive();
    const folder = await downloadCore({ env, base });
    expect(folder).toBe(join(cache, "mcp-codegen", NAME));
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
      /\.\w+$/.test(path),
    );
    expect(paths.map((path) => path.replaceAll("\\", "/")).sort()).toEqual([
      "wp-includes/abilities-api/class-wp-ability.php",
      "wp-includes/blocks/quote/block.json",
      "wp-includes/version.php",
      "wp-settings.php",
    ]);
    if (process.platform !== "win32")
      for (const path of [folder, join(cache, "mcp-codegen")])
        expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(cache, "mcp-codegen"))).toEqual([NAME]);
    expect(await downloadCore({ env, base })).toBe(folder);
    expect(asked).toEqual([`${ARCHIVE}.sha1`, ARCHIVE]);
    expect(await findCore({ server: "acme", paths: ["."], dir: cache, env })).toMatchObject({
      by: "downloaded",
    });
  });

  it.each([
    ["in capitals", (sum: string) => `${sum.toUpperCase()}\n`],
    ["with a name", (sum: string) => `${sum}  ${NAME}.tar.gz\n`],
  ])("accepts a checksum %s", async (_, print) => {
    const archive = packArchive();
    const { base } = await serveArchive(archive, print(sha1(archive)));
    expect(await downloadCore({ env: environment(temporaryFolder()), base })).toContain(NAME);
  });

  it("follows a redirect of the same server", async () => {
    const archive = packArchive();
    const { base, asked } = await serve(({ url = "" }, response) => {
      if (url.startsWith("/moved")) response.end(url.endsWith(".sha1") ? sha1(archive) : archive);
      else response.writeHead(302, { location: `/moved${url}` }).end();
    });
    expect(await downloadCore({ env: environment(temporaryFolder()), base })).toContain(NAME);
    expect(asked).toContain(`/moved${ARCHIVE}`);
  });

  it("can run and replace a damaged folder several times at once", async () => {
    const cache = temporaryFolder();
    const { base } = await serveArchive();
    const load = (): Promise<string> => downloadCore({ env: environment(cache), base });
    const folders = await Promise.all([1, 2, 3].map(load));
    expect(new Set(folders).size).toBe(1);
    const [folder = ""] = folders;
    for (let round = 0; round < 5; round++) {
      rmSync(join(folder, "wp-settings.php"));
      writeFileSync(join(folder, "left.php"), "");
      await Promise.all(Array.from({ length: 16 }, load));
      const exists = ["wp-settings.php", "left.php"].map((name) => existsSync(join(folder, name)));
      expect(exists).toEqual([true, false]);
    }
    expect(readdirSync(join(cache, "mcp-codegen"))).toEqual([NAME]);
  });

  const withHead = (status: number, location?: string): ReturnType<typeof serve> =>
    serve((_, response) => response.writeHead(status, location === undefined ? {} : { location }).end());
  it.each<[what: string, code: string, reason: RegExp, start: () => ReturnType<typeof serve>]>([
    ["another checksum", "PROTOCOL_INVALID", /the archive of 127\.0\.0\.1:\d+ does not have the checksum beside it/, () => serveArchive(undefined, "0".repeat(40))],
    ["an empty checksum", "PROTOCOL_INVALID", /does not have the checksum/, () => serveArchive(undefined, "")],
    ["a page instead of a checksum", "PROTOCOL_INVALID", /\.sha1 holds more than 1024 bytes/, () => serveArchive(undefined, "x".repeat(2_000))],
    ["no checksum", "SERVER_UNREACHABLE", /\.sha1 answers with HTTP 404/, () => withHead(404)],
    ["no archive", "SERVER_UNREACHABLE", /\.tar\.gz answers with HTTP 503/, () => serveInstead((response) => response.writeHead(503).end())],
    [
      "an archive that says that it is too large",
      "PROTOCOL_INVALID",
      /\.tar\.gz holds more than 100 MiB/,
      () => serveInstead((response) => response.writeHead(200, { "content-length": 104_857_601 }).write("x")),
    ],
    [
      "a part of the archive",
      "SERVER_UNREACHABLE",
      /the connection to 127\.0\.0\.1:\d+ failed \(UND_ERR_SOCKET\)/,
      () =>
        serveInstead((response, { length }) =>
          response.writeHead(200, { "content-length": length }).write("x", () => response.destroy()),
        ),
    ],
    ["a redirect without HTTPS", "SERVER_UNREACHABLE", /redirects to http:\/\/mirror\.example, which does not use HTTPS/, () => withHead(301, "http://mirror.example/wp")],
    ["redirects without end", "SERVER_UNREACHABLE", /redirects more than 5 times/, () => withHead(301, "/again")],
    ["a file that is not an archive", "PHP_FAILED", /its archive cannot be unpacked: .*gzip/, () => serveArchive(Buffer.from("<html>"))],
    [
      "an archive without WordPress",
      "PROTOCOL_INVALID",
      /its archive is not a WordPress: it has no "wp-includes\/version\.php"/,
      () => serveArchive(packArchive({ "wordpress/index.php": "" })),
    ],
    [
      "an old WordPress",
      "PROTOCOL_INVALID",
      /its archive has WordPress 6\.8, and/,
      () => serveArchive(packArchive({ ...WORDPRESS, "wordpress/wp-includes/version.php": "<?php\n$wp_version = '6.8';\n" })),
    ],
  ])("refuses %s", async (_, code, reason, start) => {
    const cache = temporaryFolder();
    const { base } = await start();
    const error = await refusalOf({ env: environment(cache), base });
    expect(error).toMatchObject({ code, hint: HINT, message: expect.stringMatching(reason) as unknown });
    expect(error.message).toMatch(/^WordPress [\d.]+ cannot be downloaded: .*\.$/);
    // Nothing of it is left.
    expect(readdirSync(cache, { recursive: true }).filter((path) => path !== "mcp-codegen")).toEqual([]);
  }); // prettier-ignore

  it("stops at the limit, if the server does not say how long the archive is", async () => {
    const { base } = await serveInstead((response) => {
      response.write("x".repeat(3_000));
      response.end();
    });
    const { message } = await refusalOf({ env: environment(temporaryFolder()), base, limit: 2_000 });
    expect(message).toContain("holds more than 2000 bytes");
  });

  it("names a server that cannot be reached", async () => {
    const base = "http://127.0.0.1:1";
    expect(await refusalOf({ env: environment(temporaryFolder()), base })).toMatchObject({
      code: "SERVER_UNREACHABLE",
      exitCode: 3,
      message: expect.stringMatching(/: the connection to 127\.0\.0\.1:1 failed/) as unknown,
    });
  });

  it("names a missing tar", async () => {
    const { base } = await serveArchive();
    const env = { ...environment(temporaryFolder()), PATH: temporaryFolder() };
    const { message } = await refusalOf({ env, base });
    expect(message).toBe(
      `WordPress ${CORE_VERSION} cannot be downloaded: the program "tar" is not installed.`,
    );
  });

  it("names a cache that cannot be written, or is not known", async () => {
    const { base } = await serveArchive();
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    expect(await refusalOf({ env: environment(file), base })).toMatchObject({
      code: "FILE_FAILED",
      message: expect.stringMatching(
        /^".*wordpress-[\d.]+" cannot be written: (?:ENOTDIR|EEXIST|ENOENT)/,
      ) as unknown,
    });
    expect(await refusalOf({ env: {}, base })).toMatchObject({
      code: "FILE_FAILED",
      hint: "Set HOME or XDG_CACHE_HOME to an absolute path.",
    });
  });

  it("ends when it is interrupted", async () => {
    const controller = new AbortController();
    const cache = temporaryFolder();
    const { base } = await serveInstead((response) => {
      response.write("x");
      controller.abort("SIGINT");
    });
    await expect(downloadCore({ env: environment(cache), base, signal: controller.signal })).rejects.toBe(
      "SIGINT",
    );
    expect(readdirSync(cache)).toEqual([]);
  });

  it("does not fail for a folder of the same name that another run makes", async () => {
    const cache = temporaryFolder();
    const folder = join(cache, "mcp-codegen", NAME);
    mkdirSync(folder, { recursive: true });
    const { base } = await serveArchive();
    expect(await downloadCore({ env: environment(cache), base })).toBe(folder);
  });
});
