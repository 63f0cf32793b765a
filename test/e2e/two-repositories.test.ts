/** The PHP of abilities in one repository, their TypeScript in another: the plugin's CI reads the lock of its caller. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";
import { HEADER, onInit, register } from "../sources/php/make-plugin.js";
import { LOCKFILE_NAME, makeProject, type Project } from "./make-project.js";

const plugin = (view: string): string =>
  HEADER +
  onInit(
    register(
      "get-product",
      `'input_schema' => array( 'type' => 'object', 'properties' => array( 'view' => array( 'enum' => array( 'full', '${view}' ) ) ) ),
      'meta' => array( 'mcp' => array( 'public' => true ) )`,
    ),
  );

/** The caller's project and the plugin's, which name the server differently. */
async function makeBoth(): Promise<{ readonly lock: string; readonly own: Project }> {
  const caller = await makeProject({ output: false, servers: { shop: { php: { paths: ["acme.php"] } } } });
  await caller.write("acme.php", plugin("short"));
  await caller.prints("pull", 0);
  const own = await makeProject({ output: false, servers: { acme: { php: { paths: ["."] } } } });
  await own.write("acme.php", plugin("short"));
  await own.prints("pull", 0);
  return { lock: join(caller.dir, LOCKFILE_NAME), own };
}

describe.skipIf(!hasPhp)(`check --php --against the lock of a caller${WITH_PHP}`, () => {
  it("is green while the PHP is as locked, and names the PHP line of a break", async () => {
    const { lock, own } = await makeBoth();
    await own.prints(["check", "--php", "--against", lock], 0, "Up to date");
    await own.write("acme.php", plugin("brief"));
    const { exitCode, document } = await own.runJson(["check", "--php", "--against", lock]);
    const php = { file: "acme.php", line: 5 };
    const removed = { rule: "input-enum-value-removed", server: "acme", php };
    expect(exitCode).toBe(1);
    expect(document["changes"]).toContainEqual(expect.objectContaining(removed));
    expect(await own.paths()).toEqual(["acme.php", "mcp-codegen.config.json", LOCKFILE_NAME]);
  });

  it("reads the lock from a URL", async () => {
    const { lock, own } = await makeBoth();
    const text = await readFile(lock);
    const server = createServer((request, response) => {
      if (request.url === "/lock.json") response.end(text);
      else response.writeHead(404).end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await own.prints(["check", "--php", "--against", `${base}/lock.json`], 0);
    const { stderr } = await own.prints(`check --php --against ${base}/gone.json`, 3);
    const hint = "hint: Check the URL and the network, or compare with a file or a git ref.";
    expect(stderr).toContain(`${base}/gone.json answers with HTTP 404.\n${hint}\n`);
  });

  it("refuses a file that is not a lock, one with another server, and several files", async () => {
    const { own } = await makeBoth();
    const identity = { serverInfo: {}, protocolVersion: "", capabilities: {} };
    const listing = { clientCapabilities: {}, pages: 1 };
    const block = { contract: "1.0.0", identity, listing, tokenizer: "o200k_base", tools: {} };
    await own.write("other.json", "{");
    await own.refuses("check --php --against other.json", '"other.json": ');
    await own.writeJson("other.json", { lockfileVersion: 1, servers: { a: block, b: block } });
    const says = /"other\.json" has no server "acme"\.\n.*"a", "b"\./;
    await own.refuses("check --php --against other.json", says);
  });
});
