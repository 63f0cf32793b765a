import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fixtureCommand } from "../../servers/start-fixture.js";
import { makeProject } from "../make-project.js";
import { linkPackages } from "../user-project.js";
import { startWatch } from "./start-watch.js";

/** Starts `tsc --watch` and returns a function that waits for the result of a compilation that was not seen before. */
function startCompiler(dir: string): (pattern: RegExp) => Promise<string> {
  const tsc = resolve("node_modules/typescript-7/bin/tsc");
  const args = [tsc, "--watch", "--noEmit", "--preserveWatchOutput", "--pretty", "false"];
  const child = spawn(process.execPath, args, {
    cwd: dir,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    // The group, because the compiler itself is a child of this process.
    if (child.pid !== undefined) process.kill(-child.pid);
  });
  let output = "";
  let notify: () => void = () => undefined;
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
    notify();
  });
  return (pattern) =>
    new Promise((done) => {
      notify = () => {
        const found = pattern.exec(output);
        if (found === null) return;
        output = output.slice(found.index + found[0].length);
        notify = () => undefined;
        done(found[0]);
      };
      notify();
    });
}

test("tsc --watch reports the code that a change breaks, and that it was repaired", async () => {
  const project = await makeProject();
  await linkPackages(project.dir);
  const tools = join(project.dir, "tools.json");
  const server = fixtureCommand("follows-file", "--file", tools, "--notify", "yes");
  await project.write("tools.json", `["one", "two"]`);
  await project.configure({ servers: { shop: server } });
  await project.writeJson("tsconfig.json", {
    compilerOptions: { strict: true, module: "nodenext", skipLibCheck: true },
    include: ["app.ts"],
  });
  await project.write("app.ts", `import { two } from "./generated/shop/index.js";\nawait two({ id: 1 });\n`);
  const watch = startWatch(project.dir);
  await watch.see(/Watching/);
  const compiled = startCompiler(project.dir);
  await compiled(/Found 0 errors/);
  await project.write("tools.json", `["one"]`);
  await watch.see(/shop: .+ · 1 tool removed \(two\)/);
  expect(await compiled(/app\.ts.*\n[^]*?Found [1-9]\d* errors?/)).toContain(`has no exported member 'two'`);
  await project.write("tools.json", `["one", "two"]`);
  await watch.see(/shop: 1 safe · 1 tool added \(two\)/);
  await compiled(/Found 0 errors/);
});
