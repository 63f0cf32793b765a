/** The header of generated files makes linters and formatters skip them. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GOLDEN } from "./golden-cases.js";

const MODULES = new URL("../../node_modules/", import.meta.url);
// Biome weighs 97 MB, so it is not a dependency. To run this test, install it and name its binary, such as
// node_modules/@biomejs/cli-linux-x64/biome.
const BIOME = process.env["MCP_CODEGEN_BIOME"] ?? "";

/**
 * All rules of ESLint, reports on unused directives, and all rules about directives except those that object to what every
 * generator writes: a directive for the whole file, of all rules, and without a reason.
 */
const ESLINT_CONFIG = [
  `import eslint from ${JSON.stringify(new URL("@eslint/js/src/index.js", MODULES).href)};`,
  `import tseslint from ${JSON.stringify(new URL("typescript-eslint/dist/index.js", MODULES).href)};`,
  `import comments from ${JSON.stringify(new URL("@eslint-community/eslint-plugin-eslint-comments/index.js", MODULES).href)};`,
  "const rules = Object.keys(comments.rules).filter((rule) => !/no-use|no-restricted|unlimited|require-description|enable-pair/.test(rule));",
  "export default [{",
  '  files: ["**/*.ts"], plugins: { comments }, rules: Object.fromEntries(rules.map((rule) => ["comments/" + rule, "error"])),', "}, {",
  '  ...eslint.configs.all, files: ["**/*.ts"], languageOptions: { parser: tseslint.parser },',
  '  linterOptions: { reportUnusedDisableDirectives: "error", reportUnusedInlineConfigs: "error" },', "}];",
].join("\n"); // prettier-ignore

const CASES = ["posts", "entries", "settings", "wordpress", "empty"];
const folder = mkdtempSync(join(tmpdir(), "mcp-codegen-linters-"));

beforeAll(() => {
  for (const name of CASES) cpSync(join(GOLDEN, name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, "eslint.config.mjs"), ESLINT_CONFIG);
  writeFileSync(join(folder, "biome.json"), "{}\n");
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function runEslint(...flags: readonly string[]) {
  const bin = fileURLToPath(new URL("eslint/bin/eslint.js", MODULES));
  const options = { cwd: folder, encoding: "utf8", timeout: 60_000, maxBuffer: 1e9 } as const;
  const { stdout, stderr, status } = spawnSync(process.execPath, [bin, ...flags, ...CASES], options);
  return { status, output: stdout + stderr };
}

describe("generated files", () => {
  it("have no ESLint findings, not even an unused directive", () => {
    expect(runEslint()).toEqual({ status: 0, output: "" });
    // Without the header's comments, the same rules have findings.
    expect(runEslint("--no-inline-config", "--quiet").status).toBe(1);
  });

  it.skipIf(!existsSync(BIOME))("have no Biome findings (skipped without MCP_CODEGEN_BIOME)", () => {
    const args = ["check", "--error-on-warnings", "--max-diagnostics=5", ...CASES];
    const { status, stderr } = spawnSync(BIOME, args, { cwd: folder, encoding: "utf8", timeout: 20_000 });
    expect(status, stderr).toBe(0);
  });
});
