/**
 * `npm run report servers`: installs MCP servers from npm that start without an account, and pulls, generates and compiles all of
 * them. Prints a table. It needs the npm registry, so CI does not run it.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseLockfile } from "../src/core/lockfile-text.js";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The arguments and the environment that each server needs to start. Credentials are made up: no tool is called. */
const SERVERS: {
  readonly [name: string]: { readonly args?: readonly string[]; readonly env?: { [name: string]: string } };
} = {
  "@modelcontextprotocol/server-everything": {},
  "@modelcontextprotocol/server-filesystem": { args: ["."] },
  "@modelcontextprotocol/server-memory": {},
  "@modelcontextprotocol/server-sequential-thinking": {},
  "@playwright/mcp": {},
  "chrome-devtools-mcp": {},
  "@upstash/context7-mcp": {},
  "@notionhq/notion-mcp-server": { env: { NOTION_TOKEN: "ntn_none" } },
  "@supabase/mcp-server-supabase": { args: ["--access-token", "${SUPABASE_TOKEN}"] },
  "@sentry/mcp-server": { args: ["--access-token=${TOKEN}"] },
  "@wonderwhy-er/desktop-commander": {},
  "mcp-server-kubernetes": {},
  "tavily-mcp": { env: { TAVILY_API_KEY: "none" } },
  "firecrawl-mcp": { env: { FIRECRAWL_API_KEY: "none" } },
  "exa-mcp-server": { env: { EXA_API_KEY: "none" } },
  "figma-developer-mcp": { args: ["--figma-api-key=${TOKEN}", "--stdio"] },
  "@eslint/mcp": {},
  "@antv/mcp-server-chart": {},
  "mongodb-mcp-server": {},
  "@shopify/dev-mcp": {},
  "@stripe/mcp": { args: ["--tools=all", "--api-key=${STRIPE_TOKEN}"] },
  "next-devtools-mcp": {},
  "mcp-mermaid": {},
  "@ui5/mcp-server": {},
  "@cap-js/mcp-server": {},
  "@azure/mcp": { args: ["server", "start"] },
  "@angular/cli": { args: ["mcp"] },
  shadcn: { args: ["mcp"] },
};

interface Installed {
  readonly version: string;
  readonly program: string;
}

/** Installs a package in its own folder, without its install scripts. */
async function install(name: string, folder: string): Promise<Installed | undefined> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  const options = ["--no-audit", "--no-fund", "--ignore-scripts"];
  const isThere = existsSync(join(folder, "node_modules", name));
  const { status } = isThere
    ? { status: 0 }
    : spawnSync("npm", ["install", ...options, name], { cwd: folder, stdio: "ignore" });
  if (status !== 0) return undefined;
  const own = join(folder, "node_modules", name);
  const manifest = JSON.parse(await readFile(join(own, "package.json"), "utf8")) as {
    readonly version: string;
    readonly bin?: string | { readonly [name: string]: string };
  };
  const [program] = typeof manifest.bin === "string" ? [manifest.bin] : Object.values(manifest.bin ?? {});
  return program === undefined ? undefined : { version: manifest.version, program: join(own, program) };
}

const dir = process.argv[2] ?? (await mkdtemp(join(tmpdir(), "mcp-codegen-servers-")));
const installed = new Map<string, Installed & { readonly name: string }>();
const servers: { [key: string]: object } = {};
for (const [name, { args = [], env = {} }] of Object.entries(SERVERS)) {
  const key = name.replace(/^@/, "").replace(/[^a-z0-9]+/g, "_");
  const found = await install(name, join(dir, "servers", key));
  if (found === undefined) {
    console.log(`${name}: cannot be installed`);
    continue;
  }
  installed.set(key, { name, ...found });
  const settings = Object.fromEntries(Object.entries(env).map(([k, value]) => [k, { value, public: true }]));
  servers[key] = {
    command: process.execPath,
    args: [found.program, ...args],
    env: settings,
    timeouts: { connect: 60_000 },
  };
}
await writeFile(join(dir, "mcp-codegen.config.json"), JSON.stringify({ servers }));
const env = { TOKEN: "none", SUPABASE_TOKEN: `sbp_${"a".repeat(40)}`, STRIPE_TOKEN: "rk_test_none" };
const pull = ["pull"];
const pulled = spawnSync(process.execPath, [join(ROOT, "bin/mcp-codegen.js"), ...pull], {
  cwd: dir,
  env: { ...process.env, ...env },
  encoding: "utf8",
});
console.log(pulled.stdout.split("Not verified")[1] ?? "", pulled.status === 0 ? "" : pulled.stderr);

const lock = parseLockfile(await readFile(join(dir, "mcp-codegen.lock.json"), "utf8"));
await mkdir(join(dir, "node_modules"), { recursive: true });
for (const [name, target] of [
  ["mcp-codegen", ROOT],
  ["zod", join(ROOT, "node_modules/zod")],
] as const) {
  const link = join(dir, "node_modules", name);
  if (!existsSync(link)) await symlink(target, link);
}
const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"];
const compile = (key: string): boolean => {
  const index = join(dir, "generated", key, "index.ts");
  return spawnSync(process.execPath, [compiler, ...options, index], { cwd: dir }).status === 0;
};

console.log("| Server | Version | Protocol | Tools | Compiles |\n| --- | --- | --- | --: | --- |");
for (const [key, { name, version }] of installed) {
  const locked = lock.servers[key];
  const cells =
    locked === undefined
      ? ["", "not pulled", ""]
      : [locked.identity.protocolVersion, Object.keys(locked.tools).length, compile(key) ? "yes" : "no"];
  console.log(`| ${[`\`${name}\``, version, ...cells].join(" | ")} |`);
}
