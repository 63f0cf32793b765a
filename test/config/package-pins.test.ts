import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  compareVersions,
  findStartedPackage,
  findUnpinned,
  pinPackage,
} from "../../src/config/package-pins.js";

it.each<[string, readonly string[], ReturnType<typeof findStartedPackage>]>([
  ["npx", ["-y", "@scope/server-git", "."], { name: "@scope/server-git", version: undefined }],
  ["npx", ["-y", "@scope/server-git@1.4.2"], { name: "@scope/server-git", version: "1.4.2" }],
  ["npx", ["server@1.4.2-beta.1"], { name: "server", version: "1.4.2-beta.1" }],
  ["npx", ["server@latest"], { name: "server", version: undefined }],
  ["npx", ["server@^1.4"], { name: "server", version: undefined }],
  ["npm", ["exec", "--yes", "server"], { name: "server", version: undefined }],
  ["bunx", ["server"], { name: "server", version: undefined }],
  ["npx", ["-y", "github:someone/server"], undefined],
  ["npx", ["-y", "./server"], undefined],
  ["npx", ["-y", "https://example.com/server.tgz"], undefined],
  ["uvx", ["server"], undefined],
  ["docker", ["run", "-i", "server"], undefined],
  ["node", ["server.js"], undefined],
])("finds what %s %j starts", (command, args, found) => {
  expect(findStartedPackage({ command, args: [...args] })).toEqual(found);
});

it("pins the package and no other argument", () => {
  const settings = { command: "npx", args: ["-y", "@scope/git@next", "--for", "@scope/gitea", "git"] };
  const pinned = pinPackage(settings, { name: "@scope/git", version: undefined }, "1.4.2");
  expect(pinned.args).toEqual(["-y", "@scope/git@1.4.2", "--for", "@scope/gitea", "git"]);
});

it.each([
  ["1.10.0", "1.9.9", 1],
  ["1.4.2", "1.4.2", 0],
  ["2.0.0-rc.1", "2.0.0", -1],
])("compares %s with %s", (one, other, sign) => {
  expect(Math.sign(compareVersions(one, other))).toBe(sign);
  expect(Math.sign(compareVersions(other, one))).toBe(0 - sign);
});

it("a package that the project has is pinned by the project", async () => {
  const dir = await mkdtemp(join(tmpdir(), "pins-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await mkdir(join(dir, "node_modules/@scope/own"), { recursive: true });
  await writeFile(join(dir, "node_modules/@scope/own/package.json"), JSON.stringify({ version: "3.2.1" }));
  const servers = {
    own: { command: "npx", args: ["@scope/own"] },
    other: { command: "npx", args: ["-y", "@scope/never-published"] },
    pinned: { command: "npx", args: ["-y", "@scope/never-published@1.0.0"] },
  };
  expect(await findUnpinned(servers, dir)).toEqual([
    { server: "other", name: "@scope/never-published", installed: undefined },
  ]);
});
