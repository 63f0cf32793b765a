import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeFolder } from "../temporary-folder.js";
import { openFixture } from "./open-fixture.js";

const run = promisify(execFile);
const ENTRY = pathToFileURL("dist/codegen.js").href;
const AGENT = pathToFileURL("dist/agent/index.js").href;

/** What a program prints until it ends on its own. */
async function printed(program: string): Promise<string> {
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { timeout: 20_000 });
  return stdout.trim();
}

/** Of a program that calls one tool and does not close its connection. */
const callOnce = (settings: object): Promise<string> =>
  printed(`
    import { connectTools, defineTool } from ${JSON.stringify(ENTRY)};
    const server = { name: "idle", contract: "1.0.0", ...${JSON.stringify(settings)} };
    const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
    const mixed = defineTool({ server, name: "mixed", input: any, inputSchema: () => ({}) });
    const tools = connectTools(server, { mixed });
    const [bound, unbound] = await Promise.all([tools.mixed({}), mixed({})]);
    console.log(bound.text === unbound.text, bound.content.length);`);

describe("a program with an idle connection ends on its own", () => {
  test("over stdio, and its servers end with it", async () => {
    expect(await callOnce(fixtureCommand("rich-content"))).toBe("true 3");
  });

  test("over stdio, when the server would outlive its input", async () => {
    const pidFile = join(await makeFolder(), "pids");
    const stubborn = `
      import { appendFileSync } from "node:fs";
      appendFileSync(${JSON.stringify(pidFile)}, process.pid + "\\n");
      process.exit = () => setInterval(() => undefined, 1000);
      await import(process.argv[1]);`;
    const { command, args } = fixtureCommand("rich-content");
    const settings = { command, args: ["--input-type=module", "-e", stubborn, ...args] };
    expect(await callOnce(settings)).toBe("true 3");
    const pids = (await readFile(pidFile, "utf8")).trim().split("\n").map(Number);
    expect(pids).toHaveLength(2);
    for (const pid of pids)
      await vi.waitFor(() => {
        expect(() => process.kill(pid, 0)).toThrow("ESRCH");
      }, 10_000);
  });

  test("with a registry that hears over HTTP that lists have changed", async () => {
    const { url } = await openFixture("changes-list");
    const program = `import { createRegistry } from ${JSON.stringify(AGENT)};
      const registry = createRegistry({ servers: [{ name: "shop", url: ${JSON.stringify(url)} }] });
      console.log((await registry.getTools()).length);`;
    expect(await printed(program)).toBe("3");
  });

  test("over HTTP", async () => {
    const { url } = await openFixture("rich-content");
    expect(await callOnce({ url })).toBe("true 3");
  });
});
