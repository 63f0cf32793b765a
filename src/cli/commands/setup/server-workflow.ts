import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findOwn } from "../../../core/json.js";
import { readManifest } from "../../../files/project-settings.js";
import { writeAtomic } from "../../../files/write-atomic.js";
import { readPackage } from "../../packages.js";

const WORKFLOW = ".github/workflows/mcp-contract.yml";

const SETUP_NODE = "- uses: actions/setup-node@v6\n  with: { node-version: 22 }";
const SETUP_PYTHON = '- uses: actions/setup-python@v6\n  with: { python-version: "3.x" }';
const BUILD = "- run: npm run build --if-present";

/** The steps that install what a server needs, by a file in its folder. Of each language, the first file counts. */
const INSTALLS: readonly (readonly (readonly [file: string, steps: readonly string[]])[])[] = [
  [
    ["pnpm-lock.yaml", ["- run: corepack enable && pnpm install --frozen-lockfile", BUILD]],
    ["yarn.lock", ["- run: corepack enable && yarn install --immutable", BUILD]],
    ["package-lock.json", ["- run: npm ci", BUILD]],
    ["package.json", ["- run: npm install", BUILD]],
  ],
  [
    ["uv.lock", ["- uses: astral-sh/setup-uv@v7", "- run: uv sync --locked"]],
    ["poetry.lock", [SETUP_PYTHON, "- run: pipx install poetry && poetry install"]],
    ["requirements.txt", [SETUP_PYTHON, "- run: pip install -r requirements.txt"]],
    ["pyproject.toml", [SETUP_PYTHON, "- run: pip install ."]],
  ],
  [["go.mod", ["- uses: actions/setup-go@v6\n  with: { go-version-file: go.mod }", "- run: go build ./..."]]],
  [["composer.json", ["- run: composer install --no-interaction"]]],
  [["Cargo.toml", ["- run: cargo build --release"]]],
  [["Gemfile", ["- uses: ruby/setup-ruby@v1\n  with: { bundler-cache: true }"]]],
  [["pom.xml", ["- run: mvn --batch-mode package -DskipTests"]]],
  [["build.gradle", ["- run: ./gradlew build -x test"]]],
  [["build.gradle.kts", ["- run: ./gradlew build -x test"]]],
];

/**
 * Writes the workflow that checks the team's own server, with the steps that install it in the languages of the folder.
 * Returns its path; undefined if it exists.
 */
export async function writeServerWorkflow(dir: string): Promise<string | undefined> {
  const path = join(dir, WORKFLOW);
  if (existsSync(path)) return undefined;
  const found = INSTALLS.flatMap((files) => files.find(([file]) => existsSync(join(dir, file)))?.[1] ?? []);
  const install =
    found.length > 0
      ? found
      : ["# Add the steps here that install what your server needs, so that its command starts."];
  const steps = ["- uses: actions/checkout@v6", SETUP_NODE, ...install, `- run: ${await checkCommand(dir)}`];
  await mkdir(dirname(path), { recursive: true });
  await writeAtomic(
    path,
    `name: MCP contract
on: [push, pull_request]
permissions:
  contents: read
jobs:
  contract:
    runs-on: ubuntu-latest
    steps:
${steps.map((step) => step.replace(/^/gm, "      ")).join("\n")}
`,
  );
  return WORKFLOW;
}

/** The project's own version, or else the one that wrote the workflow. */
async function checkCommand(dir: string): Promise<string> {
  const manifest = await readManifest(join(dir, "package.json"));
  const isOwn = ["dependencies", "devDependencies"].some(
    (key) => findOwn(findOwn(manifest, key), "mcp-codegen") !== undefined,
  );
  return isOwn ? "npx mcp-codegen check" : `npx --yes mcp-codegen@${readPackage().version} check`;
}
