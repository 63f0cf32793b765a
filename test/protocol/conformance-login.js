/**
 * The client that the conformance suite tests for logins: `mcp-codegen login`, with the browser replaced by a program that
 * opens the address, then `list` and `call` with the saved login.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { PassThrough, Writable } from "node:stream";
import { run as runProgram } from "../../dist/cli/run.js";

const url = process.argv.at(-1) ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}");
const cwd = mkdtempSync(join(tmpdir(), "mcp-codegen-login-"));
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const isUnattended = scenario.includes("client-credentials");
// A secret is sent to one issuer only, which people read in the settings of their client.
const issuer = context.client_secret && (context.issuer ?? (await readIssuer()));
const auth = {
  type: "oauth",
  ...(context.client_id !== undefined && { clientId: context.client_id }),
  // The scenario knows the document at this address.
  ...(scenario === "auth/basic-cimd" && { clientId: "https://conformance-test.local/client-metadata.json" }),
  ...(context.client_secret !== undefined && { clientSecret: "${CLIENT_SECRET}", issuer }),
};
const servers = { sut: { url, timeouts: { connect: 20_000 }, auth } };
writeFileSync(join(cwd, "mcp-codegen.config.json"), JSON.stringify({ servers }));

async function readIssuer() {
  const { origin, pathname } = new URL(url);
  const response = await globalThis.fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  const { authorization_servers: servers = [] } = /** @type {any} */ (await response.json());
  return servers[0];
}

/**
 * Runs the program in this process, since the suite starts many, and opens the login page whose address it prints.
 * @param {readonly string[]} args
 */
async function run(...args) {
  let text = "";
  let isOpen = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      const address = /^\s*(https?:\/\/\S+[?&]response_type=\S+)/m.exec(text)?.[1];
      if (address !== undefined && !isOpen) {
        isOpen = true;
        void globalThis.fetch(address).catch(() => undefined);
      }
      done();
    },
  });
  const stdin = new PassThrough();
  stdin.end();
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(cwd, "state"),
    CLIENT_SECRET: context.client_secret ?? "none",
    MCP_CODEGEN_ENABLE_WRITES: "1",
    // In CI a pull is frozen.
    CI: "",
  };
  const code = await runProgram(args, { stdin, stdout: output, stderr: output, cwd, env });
  process.stderr.write(`${args.join(" ")}: exit ${String(code)}\n${text}\n`);
  return code;
}

if (!isUnattended) await run("login", "sut", "--no-browser", "--wait", "10");
await run("pull");
await run("call", "sut__test-tool", "--yes");
if (/step-up|migration/.test(scenario)) {
  // The call asks for another login.
  await run("login", "sut", "--no-browser", "--wait", "10");
  await run("call", "sut__test-tool", "--yes");
}
rmSync(cwd, { recursive: true, force: true });
// Nothing is left to wait for, but connections may still be open.
process.exit(0);
