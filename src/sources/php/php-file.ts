import { existsSync } from "node:fs";

/**
 * The address of a PHP file of ours, such as `stub/harness.php`. It is beside this module; the build may put the module into a shared
 * chunk, and then the file is at its place below `sources/php`.
 */
export function phpFile(name: string): URL {
  const beside = new URL(`./${name}`, import.meta.url);
  return existsSync(beside) ? beside : new URL(`../sources/php/${name}`, import.meta.url);
}
