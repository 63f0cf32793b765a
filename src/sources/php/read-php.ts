import type { PhpConfig } from "../../config/config.js";
import type { PhpReading, ReadPhpOptions } from "./php-reading.js";
import { readCore } from "./read-core.js";
import { readSite } from "./read-site.js";

/**
 * Returns the abilities that the PHP code of a server registers, in the configured WordPress, or else in the core of one
 * without a site.
 *
 * @throws McpCodegenError `PHP_FAILED` when PHP, WordPress or a plugin fails, or there is no core; `CONFIG_INVALID` for paths
 *   without a plugin, and for a folder without WordPress
 */
export async function readPhp(server: string, php: PhpConfig, options: ReadPhpOptions): Promise<PhpReading> {
  const isSite = php.wordpress !== undefined || php.command !== undefined;
  return await (isSite ? readSite : readCore)(server, php, options);
}
