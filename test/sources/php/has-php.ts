import { spawnSync } from "node:child_process";
import { CORE } from "../../wordpress/core.js";

/** What the tests of PHP lack on this machine. */
const missing = [
  ...(spawnSync("php", ["--version"]).status === 0 ? [] : ["php is not on the PATH"]),
  ...(CORE === undefined ? ['no WordPress, see "npm run wordpress:core"'] : []),
];

/** Whether PHP and a WordPress to run plugins in are there. Otherwise the titles of tests state that they are skipped. */
export const hasPhp = missing.length === 0;

export const WITH_PHP = hasPhp ? "" : ` (skipped: ${missing.join(", ")})`;
