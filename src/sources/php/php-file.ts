import { existsSync } from "node:fs";

/**
 * Returns the URL of one of our PHP files, such as `stub/harness.php`. It is next to this module, or below
 * `sources/php` when the build moved this module to a shared chunk.
 */
export function phpFile(name: string): URL {
  const beside = new URL(`./${name}`, import.meta.url);
  return existsSync(beside) ? beside : new URL(`../sources/php/${name}`, import.meta.url);
}
