import { spawnSync } from "node:child_process";

/** Whether tests that run PHP can; where not, they say so. */
export const hasPhp = spawnSync("php", ["--version"]).status === 0;

export const WITH_PHP = hasPhp ? "" : " (skipped: there is no php on the PATH)";
