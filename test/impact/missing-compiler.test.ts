import { afterAll, expect, it, vi } from "vitest";
import type * as packages from "../../src/cli/packages.js";
import { makeApp } from "./make-app.js";

vi.hoisted(() => {
  // Test files share modules: those that an earlier one loaded have the real functions.
  vi.resetModules();
});
afterAll(() => {
  vi.resetModules();
});

vi.mock("../../src/cli/packages.js", async (load) => ({
  ...(await load<typeof packages>()),
  hasPackage: (name: string) => name !== "ts-morph",
}));

it("names the package that shows affected lines, where a TypeScript project has changes that may hit it", async () => {
  const app = await makeApp({ "tsconfig.json": "{}", "package.json": "{}" });
  const run = (drift: string, ...options: readonly string[]): ReturnType<typeof app.run> =>
    app.run(["check", ...options], { DRIFT: drift });
  const { exitCode, stdout } = await run("input-property-removed");
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /^Call sites were not searched: ts-morph is not installed\. To see the lines of your code that break: npm install -D ts-morph@\d+$/m,
  );
  expect((await run("input-property-removed", "--no-impact")).stdout).not.toContain("ts-morph");
  expect((await run("none")).stdout).not.toContain("ts-morph");
  const plain = await makeApp({ "package.json": "{}" });
  expect((await plain.run(["check"], { DRIFT: "input-property-removed" })).stdout).not.toContain("ts-morph");
});
