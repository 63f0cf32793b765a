import { spawnSync } from "node:child_process";

/** Whether PHP is installed. Otherwise the titles of tests state that they are skipped. */
export const hasPhp = spawnSync("php", ["--version"]).status === 0;

export const WITH_PHP = hasPhp ? "" : " (skipped: php is not on the PATH)";
