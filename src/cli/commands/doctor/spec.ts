import { defineCommand } from "../../command-spec.js";
import type { OptionTable } from "../../options.js";

export const DOCTOR_FLAGS = {
  offline: { help: "contact no server; examine everything else" },
} as const satisfies OptionTable;

export const doctorCommand = defineCommand({
  summary: "check what a project needs, and say how to fix what it lacks",
  description: [
    "Looks at Node and PHP, the packages and the TypeScript configuration that generated code needs, the configuration,",
    "the variables that it uses (names only), logins, the lock, the generated code, the servers, git's attributes, and",
    "whether CI runs check. Each line of a problem comes with its fix. Exits 1 if something fails, 3 if a server could",
    "not be asked, 0 otherwise; warnings do not count. Writes nothing.",
  ],
  options: DOCTOR_FLAGS,
  examples: [
    { line: "mcp-codegen doctor", does: "look at everything, and ask each server for its tools" },
    { line: "mcp-codegen doctor --offline", does: "ask no server" },
    { line: "mcp-codegen doctor --json", does: "print the findings for a bug report" },
  ],
  load: async () => (await import("./run.js")).runDoctor,
});
