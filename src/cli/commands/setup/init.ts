import { existsSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { type Config, DEFAULT_OUTPUT, type ServerConfig } from "../../../config/config.js";
import { formatConfig } from "../../../config/format-config.js";
import { importEditorConfigs, type ImportedServers } from "../../../config/import-editor-configs.js";
import { CONFIG_FILES, CONFIG_NAME, JSON_CONFIG_NAME, loadConfig } from "../../../config/load-config.js";
import { ENV_FILES } from "../../../config/variables.js";
import { describeUnpinned, findUnpinned, isOwned, pinPackage } from "../../../config/package-pins.js";
import { parseServerArgument } from "../../../config/parse-server-argument.js";
import { validateConfig } from "../../../config/validate-config.js";
import { listWords } from "../../../core/collections.js";
import { McpCodegenError } from "../../../core/errors.js";
import { attributesOf } from "../../../core/generated-file.js";
import { findOwn, mapEntries } from "../../../core/json.js";
import { LOCKFILE_NAME } from "../../../core/lockfile.js";
import { printable } from "../../../core/printable.js";
import { findLockfile } from "../../../files/project-records.js";
import { readManifest } from "../../../files/project-settings.js";
import { ensureLine, writeAtomic } from "../../../files/write-atomic.js";
import { count, present } from "../../../report/layout.js";
import { listIgnored } from "../../../sources/git/git.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type Context, packageRoot, readPackage } from "../../context.js";
import { homeFolder } from "../../load-project.js";
import type { OptionValues } from "../../options.js";
import { canResolve, missingPackages } from "../../packages.js";
import { ask, choose } from "../../prompts.js";
import { printHidden, proposeWordPress, type WordPressProposal } from "./propose-wordpress.js";
import type { INIT_FLAGS } from "./spec.js";

/** The servers to configure. `isOwn`: the team builds them. */
type FoundServers = WordPressProposal & { readonly isOwn?: boolean };

/** Writes a configuration, the `.gitattributes` line for generated code, and the `.gitignore` line for secrets. */
export const runInit: Runner<typeof INIT_FLAGS> = async (context, _servers, options) => {
  const { io } = context;
  const named = context.options.config;
  const dir = dirname(resolve(io.cwd, named ?? CONFIG_NAME));
  await assertNotConfigured(context, resolve(io.cwd, named ?? CONFIG_NAME));
  const proposal = await findServers(context, dir, options);
  // The user cancelled a question, so nothing is written.
  if (proposal === undefined) return 130;

  const hasCode = proposal.output !== false;
  const path = resolve(io.cwd, named ?? (hasCode ? CONFIG_NAME : JSON_CONFIG_NAME));
  const cache = join(homeFolder(io.env), ".npm", "_npx");
  const { servers, notes: pins } = await withPins(proposal.servers, dir, cache);
  const config = {
    ...(!hasCode && { output: false as const }),
    servers: withThresholds(servers, proposal.isOwn),
  };
  await validateConfig(config, basename(path));
  const language = extname(path).startsWith(".json") ? "json" : "ts";
  await writeAtomic(path, formatConfig(config, language, canResolve("mcp-codegen/package.json", dir)));
  const hasNewLine =
    hasCode && (await ensureLine(join(dir, ".gitattributes"), attributesOf(`${DEFAULT_OUTPUT}/**`)));

  // Secrets are put into this file.
  const [secrets] = ENV_FILES;
  const isIgnored = (await listIgnored(dir, [secrets])).length > 0;
  const isHidden = !isIgnored && (await ensureLine(join(dir, ".gitignore"), secrets));
  const workflow = options.server === undefined ? undefined : await writeServerWorkflow(dir);

  const names = Object.keys(proposal.servers);
  const wrote = present(basename(path), hasNewLine && ".gitattributes", isHidden && ".gitignore", workflow);
  const next = present(hasCode && missingPackages(dir), "npx mcp-codegen pull");
  const { hidden, failed = [] } = proposal;
  const listed = names.length === 0 ? "no servers" : `${count(names.length, "server")} (${names.join(", ")})`;
  return context.report(
    {
      report: "init",
      exitCode: 0,
      wrote,
      servers: names,
      next,
      hidden,
      failed: failed.length > 0 ? failed : undefined,
    },
    [
      `${listWords(wrote)} written: ${listed}.`,
      ...[...proposal.notes, ...pins].map((note) => context.paint.yellow(`note: ${printable(note, 400)}`)),
      ...printHidden(hidden ?? []),
      "Next:",
      ...(names.length === 0
        ? [
            `  add a server to ${basename(path)}:`,
            '    servers: { name: { url: "https://…" }, other: { command: "npx", args: ["…"] } }',
          ]
        : []),
      ...next.map((command) => `  ${context.paint.bold(command)}`),
    ],
  );
};

/** Sets `check.failOn`: any drift for a team's own servers, only dangerous changes for others. */
function withThresholds(servers: Config["servers"], areOwn = false): Config["servers"] {
  return mapEntries(servers, (server) => ({
    ...server,
    check: { failOn: areOwn || isOwned(server) ? "any" : "dangerous" },
  }));
}

/** Pins the package that each command starts to the version that is installed, so that the next start is not another version. */
async function withPins(servers: Config["servers"], dir: string, cache: string) {
  const unpinned = await findUnpinned(servers, dir, cache);
  const notes = unpinned.flatMap((server) =>
    server.installed === undefined ? [Object.values(describeUnpinned(server)).join(" ")] : [],
  );
  const pinned = unpinned.flatMap(({ server, name, installed }): [string, ServerConfig][] => {
    const settings = servers[server];
    if (settings === undefined || installed === undefined) return [];
    return [[server, pinPackage(settings, { name, version: undefined }, installed)]];
  });
  return { servers: { ...servers, ...Object.fromEntries(pinned) }, notes };
}

async function assertNotConfigured({ io, options }: Context, path: string): Promise<void> {
  const isNamed = options.config !== undefined;
  const loaded = await loadConfig({ cwd: io.cwd, ...(isNamed && { path }) }).catch((error: unknown) => {
    // This is the file to write.
    if (isNamed && error instanceof McpCodegenError && error.code === "CONFIG_NOT_FOUND") return undefined;
    throw error;
  });
  // A configuration in a parent folder belongs to another project.
  if (loaded === undefined || dirname(loaded.path) !== dirname(path)) return;
  const name = basename(loaded.path);
  throw usageError(
    `A configuration already exists: "${name}".`,
    CONFIG_FILES.includes(name)
      ? `Edit it, or delete it and run "npx mcp-codegen init" again.`
      : "Pass another file with --config.",
  );
}

async function findServers(
  context: Context,
  dir: string,
  options: OptionValues<typeof INIT_FLAGS>,
): Promise<FoundServers | undefined> {
  if (options.server !== undefined) return ownServer(options.server, dir);
  if (options.example === true) return { servers: { example: exampleSettings(dir) }, notes: [] };
  const imported = await importEditorConfigs(dir);
  const mayAsk = context.isInteractive && options.yes !== true;
  const accepted = await takeImported(context, imported, mayAsk);
  if (accepted === undefined) return undefined;
  const isYes = options.yes === true;
  const proposal = await proposeWordPress(context, dir, accepted.servers, { mayAsk, isYes });
  if (proposal !== undefined) return { ...proposal, notes: [...accepted.notes, ...proposal.notes] };
  const isEmpty = Object.keys(accepted.servers).length === 0;
  return mayAsk && isEmpty ? askForServer(context, accepted.notes) : accepted;
}

async function takeImported(
  context: Context,
  imported: ImportedServers,
  mayAsk: boolean,
): Promise<FoundServers | undefined> {
  const take = (names: readonly string[]): FoundServers => ({
    servers: Object.fromEntries(Object.entries(imported.servers).filter(([name]) => names.includes(name))),
    notes: imported.notes
      .filter(({ server }) => server === undefined || names.includes(server))
      .map(({ text }) => text),
  });
  const all = Object.keys(imported.servers);
  if (!mayAsk || all.length === 0) return take(all);
  const choice = await choose(
    context,
    `Which servers of ${imported.files.join(" and ")} should be added?`,
    Object.entries(imported.servers).map(([name, { url, command, args }]) => ({
      value: name,
      label: name,
      hint: printable(url ?? [command, ...(args ?? [])].join(" "), 60),
    })),
  );
  return choice === undefined ? undefined : take(choice);
}

async function askForServer(context: Context, notes: readonly string[]): Promise<FoundServers | undefined> {
  const answer = await ask(
    context,
    "Which MCP server? Enter its URL or the command that starts it, or nothing to add one later.",
    { placeholder: "npx -y @modelcontextprotocol/server-everything" },
  );
  if (answer === undefined) return undefined;
  if (answer.trim() === "") return { servers: {}, notes };
  const { name, settings } = parseServerArgument(answer);
  return { servers: { [name]: settings }, notes };
}

/** The server that the team builds. Its tests may have locked it before, under their name. */
async function ownServer(text: string, dir: string): Promise<FoundServers> {
  const { name, settings } = parseServerArgument(text);
  const [locked, ...others] = Object.keys((await findLockfile(join(dir, LOCKFILE_NAME)))?.servers ?? {});
  const key = locked !== undefined && others.length === 0 ? locked : name;
  return { servers: { [key]: settings }, output: false, isOwn: true, notes: [] };
}

/**
 * Returns the settings that start the example server from a configuration in `folder`. Its environment `next` is the
 * next version, so `check --env next` shows drift.
 */
function exampleSettings(folder: string): ServerConfig {
  const [command, ...words] = exampleCommand(folder);
  const args = [...words, "example-server"];
  return { command, args, environments: { next: { args: [...args, "--next"] } } };
}

function exampleCommand(folder: string): readonly [string, ...string[]] {
  if (canResolve("mcp-codegen/package.json", folder)) return ["npx", "mcp-codegen"];
  // Started by npx or installed globally: npx finds the package again, or downloads it.
  const root = packageRoot();
  if (root.split(sep).includes("node_modules")) return ["npx", "-y", "mcp-codegen"];
  // A clone of the repository, which may be unpublished.
  return ["node", relative(folder, join(root, "bin/mcp-codegen.js")).split(sep).join("/")];
}

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
async function writeServerWorkflow(dir: string): Promise<string | undefined> {
  const path = join(dir, WORKFLOW);
  if (existsSync(path)) return undefined;
  const commands = INSTALLS.flatMap(
    (files) => files.find(([file]) => existsSync(join(dir, file)))?.[1] ?? [],
  );
  const install =
    commands.length > 0
      ? commands
      : ["# Add the steps here that install what your server needs, so that its command starts."];
  const check = await checkSteps(dir);
  const steps = ["- uses: actions/checkout@v6", SETUP_NODE, ...install, ...check];
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

/** The steps that run the project's own version, or else the one that wrote the workflow. */
async function checkSteps(dir: string): Promise<readonly string[]> {
  const manifest = await readManifest(join(dir, "package.json"));
  const isOwn = ["dependencies", "devDependencies"].some(
    (key) => findOwn(findOwn(manifest, key), "mcp-codegen") !== undefined,
  );
  if (isOwn) return ["- run: npx mcp-codegen check"];
  const { version } = readPackage();
  return [
    `# npm has mcp-codegen from its first release on. Until then, install a packed file, and write "npx mcp-codegen check".`,
    `- run: npx --yes mcp-codegen@${version} check`,
  ];
}
