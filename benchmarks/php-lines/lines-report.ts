/**
 * Prints how often `check --php` names the right line: `npm run report php-lines [-- FOLDER PATH…]`. Without a folder, measures our own plugins, and
 * a sample of the abilities of public plugins if their registry exists.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureLines } from "./measure-lines.js";
import { REGISTRY, writeRegistry } from "./write-registry.js";

/** The share of the registry's thousands of lines to measure: one in so many. */
const SAMPLE = 100;

const [folder, ...paths] = process.argv.slice(2);
if (folder === undefined) {
  await report("test/wordpress", ["mu-plugins"]);
  await report("test/wordpress", ["plugins/acme-shop"]);
  await report("test/wordpress", ["plugins/acme-edge"]);
  if (existsSync(REGISTRY)) {
    const dir = mkdtempSync(join(tmpdir(), "registry-"));
    await report(dir, writeRegistry(dir), (index) => index % SAMPLE === 0);
    rmSync(dir, { recursive: true });
  }
} else {
  await report(folder, paths);
}

async function report(
  source: string,
  own: readonly string[],
  take?: (index: number) => boolean,
): Promise<void> {
  const { mutations, right, changes, rightChanges, registrations, wrong } = await measureLines(
    source,
    own,
    take,
  );
  console.log(
    `${own.join(", ")}: ${right} of ${mutations} mutations, ${rightChanges} of ${changes} changes; ${registrations} name the registration`,
  );
  for (const line of wrong) console.log(`  ${line}`);
}
