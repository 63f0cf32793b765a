import { chmod, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { LoginStore, NewLogin } from "../../src/core/login.js";
import { openLoginStore } from "../../src/files/login-store.js";
import { makeFolder } from "./folder.js";

const NOW = 1_000_000;
const LOGIN: NewLogin = {
  ...{ issuer: "https://login.example", resource: "https://shop.example/mcp", clientId: "me" },
  ...{ scopes: ["a"], grantedScopes: ["a"], accessToken: "token" },
};

let dir: string;
let store: LoginStore;
beforeEach(() => {
  dir = join(makeFolder(), "logins");
  store = openLoginStore({ dir, now: () => NOW, uid: process.getuid?.(), host: "here" });
});
const resources = async (): Promise<readonly string[]> =>
  (await store.readAll()).logins.map(({ issuer, resource }) => `${issuer} ${resource}`).sort();
const onlyFile = async (): Promise<string> => join(dir, (await readdir(dir)).join());

describe("the end of a login", () => {
  test.each([
    [undefined, undefined],
    [0, undefined],
    [-1, undefined],
    [1, NOW + 1_000],
    [315_360_000, NOW + 315_360_000_000],
    [315_360_001, NOW + 315_360_000_000],
    [Infinity, NOW + 315_360_000_000],
  ])("that is valid for %s seconds is %s", async (expiresIn, end) => {
    const { expiresAt } = await store.save({ ...LOGIN, ...(expiresIn !== undefined && { expiresIn }) });
    expect(expiresAt).toBe(end);
  });

  test.each([
    ["8640000000000000", 8.64e15],
    ["-8640000000000000", -8.64e15],
    ["8640000000000001", undefined],
    ["-8640000000000001", undefined],
    ["null", undefined],
    ['"1"', undefined],
  ])("that is saved as %s is %s", async (raw, end) => {
    await store.save(LOGIN);
    const file = await onlyFile();
    await writeFile(file, (await readFile(file, "utf8")).replace(/\}\s*$/, `,"expiresAt":${raw}}`));
    expect((await store.find(LOGIN.resource))?.expiresAt).toBe(end);
  });

  test.each([
    [undefined, false],
    [NOW + 10_000, false],
    [NOW + 9_999, true],
    [0, true],
  ])("at %s is near: %s", async (expiresAt, isNear) => {
    const login = await store.save(LOGIN);
    expect(store.isExpiring({ ...login, expiresAt })).toBe(isNear);
  });
});

test.each([
  ["https://shop.example/mcp", "https://shop.example/mcp"],
  ["https://shop.example/mcp/a", "https://shop.example/mcp"],
  ["https://shop.example/mcp/deep/b", "https://shop.example/mcp/deep"],
  ["https://shop.example/mcp/deeper", "https://shop.example/mcp"],
  ["https://shop.example/mcpx", undefined],
  ["https://shop.example/", undefined],
  ["https://other.example/mcp", undefined],
  ["no address", undefined],
])("the login for %s is the one of %s", async (url, resource) => {
  for (const each of [LOGIN.resource, `${LOGIN.resource}/deep`, "no address"])
    await store.save({ ...LOGIN, resource: each });
  expect((await store.find(url))?.resource).toBe(resource);
});

test("a login replaces those of other issuers for its resource", async () => {
  await store.save(LOGIN);
  await store.save({ ...LOGIN, resource: "https://b.example/" });
  await store.save({ ...LOGIN, issuer: "https://new.example" });
  expect(await resources()).toEqual([
    "https://login.example https://b.example/",
    "https://new.example https://shop.example/mcp",
  ]);
});

test("an update writes what it returns, unless that is the same or nothing", async () => {
  const login = await store.save(LOGIN);
  const { ino } = await stat(await onlyFile());
  expect(await store.update(login, (before) => Promise.resolve(before))).toEqual(login);
  expect(await store.update(login, () => Promise.resolve(undefined))).toBeUndefined();
  expect(await store.find(LOGIN.resource)).toMatchObject({ accessToken: "token" });
  expect((await stat(await onlyFile())).ino).toBe(ino);
  await store.update(login, (before) => Promise.resolve(before && { ...before, accessToken: "new" }));
  expect(await store.find(LOGIN.resource)).toMatchObject({ accessToken: "new" });
  await store.remove(login);
  await store.remove(login);
  expect(await resources()).toEqual([]);
});

test.skipIf(process.platform === "win32")(
  "a file that others can read or that is a link is refused",
  async () => {
    await store.save(LOGIN);
    const file = await onlyFile();
    const problems = async (): Promise<readonly string[]> =>
      (await store.readAll()).problems.map(({ message }) => message);
    expect(await problems()).toEqual([]);
    for (const mode of [0o640, 0o604, 0o620]) {
      await chmod(file, mode);
      expect(await problems()).toEqual([`"${file}" can be read or written by other users.`]);
    }
    await chmod(file, 0o600);
    await writeFile(file, "{");
    expect(await problems()).toEqual([`The saved login "${file}" is damaged.`]);
    await rm(file);
    await symlink("gone", file);
    expect(await problems()).toEqual([`"${file}" is a symbolic link.`]);
    await chmod(dir, 0o750);
    await expect(store.readAll()).rejects.toThrow("can be read or written by other users");
  },
);
