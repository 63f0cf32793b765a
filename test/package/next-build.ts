/**
 * Builds a small Next.js application against the packed package, with Turbopack and with webpack, or with the one that is
 * named, and asks the built application for its data. Not part of `npm test`, because it installs and runs Next.js twice; see
 * `npm run test:next`.
 */
import { spawn } from "node:child_process";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { build } from "../global-setup.js";
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

const CLI = "mcp-codegen/bin/mcp-codegen.js";
const NEXT_CLI = "next/dist/bin/next";

async function main(): Promise<void> {
  process.env["NEXT_TELEMETRY_DISABLED"] = "1";
  build();
  const folder = await createFolder("next");
  try {
    await installPackage(folder.path, await packPackage(folder.path), PACKAGES);
    await copyFixture("test/package/next-app", folder.path);
    // Without npx, which takes a second to find a program.
    const run = (program: string, ...args: readonly string[]): Promise<string> =>
      runOrThrow(folder.path, process.execPath, [join("node_modules", program), ...args]);
    await run(CLI, "init", "--example", "--yes");
    await run(CLI, "pull", "--no-frozen");
    for (const bundler of process.argv.length > 2 ? process.argv.slice(2) : ["turbopack", "webpack"]) {
      await rm(join(folder.path, ".next"), { recursive: true, force: true });
      // See next.config.mjs.
      process.env["SECOND_BUILD"] = bundler === "webpack" ? "1" : "";
      await run(NEXT_CLI, "build", `--${bundler}`);
      await assertBrowserIsFree(folder.path);
      await assertAnswers(folder.path);
      process.stdout.write(
        `next build --${bundler} builds, and the application answers, records and replays.\n`,
      );
    }
  } finally {
    folder.remove();
  }
}

/** The browser's bundle must contain the schema, but neither the client nor code that starts processes. */
async function assertBrowserIsFree(folder: string): Promise<void> {
  const chunks = join(folder, ".next/static/chunks");
  const files = (await readdir(chunks, { recursive: true })).filter((file) => file.endsWith(".js"));
  const texts = await Promise.all(files.map((file) => readFile(join(chunks, file), "utf8")));
  const text = texts.join("\n");
  if (!text.includes("^[a-z0-9-]+$")) throw new Error("The browser did not get the schema it imports.");
  if (text.includes("child_process")) throw new Error("The browser got code that starts processes.");
}

/** The built application answers and records its calls, and then answers from the cassette, where the title was changed. */
async function assertAnswers(folder: string): Promise<void> {
  const cassette = join(folder, "cassettes");
  await rm(cassette, { recursive: true, force: true });
  const titles = await askBuiltApp(folder, { MCP_CODEGEN_RECORD: "cassettes" });
  if (!titles.includes("Hello world")) throw new Error(`The build answered: ${titles}`);
  const file = join(cassette, "example/list-posts.json");
  await writeFile(file, (await readFile(file, "utf8")).replaceAll("Hello world", "From the cassette"));
  const replayed = await askBuiltApp(folder, { MCP_CODEGEN_REPLAY: "cassettes" });
  if (!replayed.includes("From the cassette")) throw new Error(`The replayed build answered: ${replayed}`);
}

/** The body of `/api/posts`, from `next start` on a free port. */
async function askBuiltApp(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(
    process.execPath,
    [join("node_modules", NEXT_CLI), "start", "-p", "0", "-H", "127.0.0.1"],
    { cwd: folder, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] },
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
