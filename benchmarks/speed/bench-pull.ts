import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WAIVERS_NAME } from "../../src/core/waivers.js";
import { LOCKFILE_NAME } from "../../src/core/lockfile.js";
import { BIN } from "./bench-project.js";
import type { BenchTool } from "./bench-tools.js";
import type { Case } from "./measure.js";

const SERVERS = 10;
/** The rules with findings in texts of public servers. A tool that is held back would end the process with 1. */
const ACCEPTED = ["poison-hidden-unicode", "poison-cross-tool-reference"];

/** A first pull of saved lists: no lock, and no generated code. */
export function pullCase(dir: string, tools: readonly BenchTool[]): Case {
  mkdirSync(dir);
  const names = Array.from({ length: SERVERS }, (_, index) => `s${index}`);
  names.forEach((name, index) => {
    const own = tools.filter((_, at) => at % SERVERS === index);
    writeFileSync(join(dir, `${name}.json`), JSON.stringify({ tools: own }));
  });
  const servers = Object.fromEntries(names.map((name) => [name, { file: `${name}.json` }]));
  writeFileSync(join(dir, "mcp-codegen.config.json"), JSON.stringify({ output: "generated", servers }));
  return {
    name: `pull, cold, ${tools.length.toLocaleString("en")} tools of ${SERVERS} servers`,
    cwd: dir,
    args: [BIN, "pull", ...ACCEPTED.flatMap((rule) => ["--accept", rule]), "--reason", "measured"],
    prepare: () => {
      for (const file of [LOCKFILE_NAME, WAIVERS_NAME, "generated"])
        rmSync(join(dir, file), { recursive: true, force: true });
    },
    maxCpuSeconds: 35,
    maxMegabytes: 700,
  };
}
