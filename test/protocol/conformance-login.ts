import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { run as runProgram } from "../../src/cli/run.js";
import { findOwn, isJsonArray } from "../../src/core/json.js";
import type { TestedClient } from "./start-relay.js";

/**
 * For logins: `mcp-codegen login`, with the browser replaced by a program that opens the address, then `list` and `call`
 * with the saved login.
 */
export const runLogin: TestedClient = async ({ url, scenario, context }) => {
  const cwd = await mkdtemp(join(tmpdir(), "mcp-codegen-login-"));
  const secret = context.client_secret;
  const auth = {
    type: "oauth",
    ...(context.client_id !== undefined && { clientId: context.client_id }),
    // The scenario knows the document at this address.
    ...(scenario === "auth/basic-cimd" && {
      clientId: "https://conformance-test.local/client-metadata.json",
    }),
    // A secret is sent to one issuer only, which people read in the settings of their client.
    ...(secret !== undefined && {
      clientSecret: "${CLIENT_SECRET}",
      issuer: context.issuer ?? (await readIssuer(url)),
    }),
  };
  const servers = { sut: { url, timeouts: { connect: 20_000 }, auth } };
  // Logins need no generated code.
  await writeFile(join(cwd, "mcp-codegen.config.json"), JSON.stringify({ output: false, servers }));
  let log = "";
  const run = async (...args: readonly string[]): Promise<void> => {
    log += await runIn(cwd, args, secret ?? "none");
  };
  try {
    if (!scenario.includes("client-credentials")) await run("login", "sut", "--no-browser", "--wait", "10");
    await run("pull");
    await run("call", "sut__test-tool", "--yes");
    if (/step-up|migration/.test(scenario)) {
      // The call asks for another login.
      await run("login", "sut", "--no-browser", "--wait", "10");
      await run("call", "sut__test-tool", "--yes");
    }
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
  return log;
};

async function readIssuer(url: string): Promise<unknown> {
  const { origin, pathname } = new URL(url);
  const response = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  const servers = findOwn(await response.json(), "authorization_servers");
  return isJsonArray(servers) ? servers[0] : undefined;
}

/** Runs the program, and opens the login page whose address it prints. Returns what it printed. */
async function runIn(cwd: string, args: readonly string[], secret: string): Promise<string> {
  let text = "";
  let isOpen = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      const address = /^\s*(https?:\/\/\S+[?&]response_type=\S+)/m.exec(text)?.[1];
      if (address !== undefined && !isOpen) {
        isOpen = true;
        void fetch(address).catch(() => undefined);
      }
      done();
    },
  });
  const stdin = new PassThrough();
  stdin.end();
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(cwd, "state"),
    CLIENT_SECRET: secret,
    MCP_CODEGEN_ENABLE_WRITES: "1",
    // In CI a pull is frozen.
    CI: "",
  };
  const code = await runProgram(args, { stdin, stdout: output, stderr: output, cwd, env });
  return `${args.join(" ")}: exit ${code}\n${text}\n`;
}
