import type { PhpConfig } from "../../config/config.js";
import type { PhpReading, ReadPhpOptions } from "./php-reading.js";

/**
 * Returns the abilities that the PHP code of a server registers, in the configured WordPress or else in the
 * stub of WordPress.
 *
 * @throws McpCodegenError `PHP_FAILED` when PHP, WordPress or a plugin fails; `CONFIG_INVALID` for paths
 *   without a plugin or a WordPress
 */
export async function readPhp(server: string, php: PhpConfig, options: ReadPhpOptions): Promise<PhpReading> {
  if (php.wordpress === undefined && php.command === undefined) {
    return (await import("./read-stub.js")).readStub(server, php, options);
  }
  return (await import("./read-site.js")).readSite(server, php, options);
}
