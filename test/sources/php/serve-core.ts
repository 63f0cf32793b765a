import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { CORE_VERSION } from "../../../src/sources/php/find-core.js";

export const ARCHIVE = `/wordpress-${CORE_VERSION}.tar.gz`;

/** The files of a WordPress that are looked at, and some that PHP does not read. */
export const WORDPRESS = {
  "wordpress/wp-includes/version.php": `<?php\n$wp_version = '${CORE_VERSION}';\n`,
  "wordpress/wp-includes/abilities-api/class-wp-ability.php": "<?php\n",
  "wordpress/wp-includes/blocks/quote/block.json": "{}",
  "wordpress/wp-includes/js/jquery.js": "",
  "wordpress/wp-includes/css/admin.min.css": "",
  "wordpress/wp-includes/images/w.png": "",
  "wordpress/wp-content/index.php": "<?php\n",
  "wordpress/wp-settings.php": "<?php\n",
};

/** Returns a folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "core-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Returns a `.tar.gz` with these files. */
export function packArchive(files: { readonly [path: string]: string } = WORDPRESS): Buffer {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, "in", path)), { recursive: true });
    writeFileSync(join(folder, "in", path), text);
  }
  execFileSync("tar", ["-czf", join(folder, "out.tar.gz"), "-C", join(folder, "in"), "wordpress"]);
  return readFileSync(join(folder, "out.tar.gz"));
}

export function sha1(bytes: Buffer): string {
  return createHash("sha1").update(bytes).digest("hex");
}

/** Answers for wordpress.org. Returns the address, and the paths that were asked for. */
export async function serve(
  answer: RequestListener,
): Promise<{ readonly base: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return { base: `http://127.0.0.1:${address.port}`, asked };
}

/** Serves an archive with a checksum. */
export function serveArchive(
  archive: Buffer = packArchive(),
  checksum: string = sha1(archive),
): ReturnType<typeof serve> {
  return serve(({ url }, response) => {
    response.end(url === ARCHIVE ? archive : checksum);
  });
}
