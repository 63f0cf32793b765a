/**
 * Builds a small Next.js application against the packed package, with Turbopack and with webpack, and asks the built
 * application for its data. Not part of `npm test`, because it installs and runs Next.js twice; see `npm run test:next`.
 */
import { spawn } from "node:child_process";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import build from "../global-setup.js";
import { copyFixture, createFolder, installPackage, packPackage, runOrThrow } from "./packed.js";

const NEXT = "16.4.6";
const PACKAGES = [
  "zod@^4.5.0",
  `next@${NEXT}`,
  "react@19",
  "react-dom@19",
  "typescript@5.9",
  "@types/react@19",
  "@types/node@20",
];

async function main(): Promise<void> {
  process.env["NEXT_TELEMETRY_DISABLED"] = "1";
  build();
  const folder = await createFolder("next");
  try {
    await installPackage(folder.path, await packPackage(folder.path), PACKAGES);
    await copyFixture("test/package/next-app", folder.path);
    await runOrThrow(folder.path, "npx", ["--no-install", "mcp-codegen", "init", "--example", "--yes"]);
    await runOrThrow(folder.path, "npx", ["--no-install", "mcp-codegen", "pull", "--no-frozen"]);
    for (const bundler of ["turbopack", "webpack"]) {
      await rm(join(folder.path, ".next"), { recursive: true, force: true });
      await runOrThrow(folder.path, "npx", ["--no-install", "next", "build", `--${bundler}`], {
        // See next.config.mjs.
        SECOND_BUILD: bundler === "webpack" ? "1" : "",
      });
      await assertBrowserIsFree(folder.path);
      const titles = await askBuiltApp(folder.path);
      if (!titles.includes("Hello world")) throw new Error(`The ${bundler} build answered: ${titles}`);
      await assertReplays(folder.path);
      process.stdout.write(
        `next build --${bundler} builds, and the application answers, records and replays.\n`,
      );
    }
  } finally {
    await folder.remove();
  }
}

/** The browser's bundle must contain the schema, but neither the client nor code that starts processes. */
async function assertBrowserIsFree(folder: string): Promise<void> {
  const chunks = join(folder, ".next/static/chunks");
  const files = (await readdir(chunks, { recursive: true })).filter((file) => file.endsWith(".js"));
  const texts = await Promise.all(files.map((file) => readFile(join(chunks, file), "utf8")));
  const text = texts.join("\n");
  if (!text.includes("Lower-case slugs.")) throw new Error("The browser did not get the schema it imports.");
  if (text.includes("child_process")) throw new Error("The browser got code that starts processes.");
}

/** The built application records its calls, and answers from the cassette, where the title was changed. */
async function assertReplays(folder: string): Promise<void> {
  const cassette = join(folder, "cassettes");
  await rm(cassette, { recursive: true, force: true });
  await askBuiltApp(folder, { MCP_CODEGEN_RECORD: "cassettes" });
  const file = join(cassette, "example/list-posts.json");
  await writeFile(file, (await readFile(file, "utf8")).replaceAll("Hello world", "From the cassette"));
  const titles = await askBuiltApp(folder, { MCP_CODEGEN_REPLAY: "cassettes" });
  if (!titles.includes("From the cassette")) throw new Error(`The replayed build answered: ${titles}`);
}

/** The body of `/api/posts`, from `next start` on a free port. */
async function askBuiltApp(folder: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const child = spawn(
    process.execPath,
    ["node_modules/next/dist/bin/next", "start", "-p", "0", "-H", "127.0.0.1"],
    {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const exited = new Promise<void>((resolve) =>
    child.once("exit", () => {
      resolve();
    }),
  );
  try {
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    for (let attempt = 0; attempt < 300; attempt += 1) {
      const url = /http:\/\/127\.0\.0\.1:\d+/u.exec(output)?.[0];
      if (url !== undefined && output.includes("Ready"))
        return await (await fetch(`${url}/api/posts`)).text();
      await setTimeout(100);
    }
    throw new Error(`"next start" did not become ready:\n${output}`);
  } finally {
    child.kill();
    await exited;
  }
}

await main();
