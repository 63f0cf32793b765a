import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it, vi } from "vitest";
import { homeFolder, openLogins, stateFolder } from "../../src/cli/load-project.js";
import { makeProject } from "../e2e/make-project.js";

const isWindows = process.platform === "win32";
const SERVER = { servers: { shop: { url: "http://127.0.0.1:1/mcp" } }, output: false };
const LOGIN = {
  issuer: "https://issuer.example",
  resource: "https://shop.example/mcp",
  clientId: "c",
  scopes: [],
  grantedScopes: [],
  accessToken: "secret-token",
};

describe("the user's folder", () => {
  it.each([undefined, "", ".", "relative", "~", " "])("is that of the account where HOME is %j", (HOME) => {
    expect(homeFolder({ HOME })).toBe(userInfo().homedir);
    expect(stateFolder({ HOME, XDG_STATE_HOME: "", LOCALAPPDATA: "" }).startsWith(userInfo().homedir)).toBe(
      true,
    );
    expect(stateFolder({ HOME, XDG_STATE_HOME: "state" }).startsWith(userInfo().homedir)).toBe(true);
  });

  it("is an absolute HOME", () => {
    expect(homeFolder({ HOME: process.cwd() })).toBe(process.cwd());
  });

  it("is refused for an account without one", async () => {
    vi.resetModules();
    vi.doMock("node:os", async (load) => ({
      ...(await load<object>()),
      userInfo: () => {
        throw new Error("ENOENT: uv_os_get_passwd");
      },
    }));
    const module = await import("../../src/cli/load-project.js");
    vi.doUnmock("node:os");
    vi.resetModules();
    expect(() => module.homeFolder({ HOME: "" })).toThrow("The home folder of the user is not known.");
  });
});

it("no login is saved in the project where HOME is empty", async () => {
  const project = await makeProject(SERVER);
  const cwd = process.cwd();
  process.chdir(project.dir);
  try {
    for (const line of ["login --list", "login --out shop", "list --live", "pull"])
      await project.run(line, { HOME: "", CI: "" });
  } finally {
    process.chdir(cwd);
  }
  expect(await project.paths()).toEqual(["mcp-codegen.config.json"]);
});

describe.skipIf(isWindows)("a state folder", () => {
  const COMMANDS = [
    "login --list",
    "login --list shop",
    "login --out shop",
    "list --live",
    "pull",
    "check",
    "doctor",
  ];

  it.each(["state", "state/mcp-codegen", "state/mcp-codegen/logins"])(
    "that is a file ends no command as a bug: %s",
    async (path) => {
      const project = await makeProject(SERVER);
      await mkdir(join(project.dir, path, ".."), { recursive: true });
      await writeFile(join(project.dir, path), "", { mode: 0o600 });
      const env = { XDG_STATE_HOME: join(project.dir, "state"), CI: "" };
      for (const line of COMMANDS) {
        const { exitCode, stdout, stderr } = await project.run(line, env);
        expect([1, 2, 3], `${line}: ${stdout}${stderr}`).toContain(exitCode);
      }
      await project.withEnv(env).refuses("login --list", "Set XDG_STATE_HOME to a folder of your own.");
      const { store } = openLogins({ env });
      await expect(store.save(LOGIN)).rejects.toMatchObject({ code: "FILE_FAILED" });
      await expect(store.remove(LOGIN)).rejects.toMatchObject({ code: "FILE_FAILED" });
    },
  );

  it("is not waited for where a login is a pipe", async () => {
    const project = await makeProject(SERVER);
    const env = { XDG_STATE_HOME: join(project.dir, "state"), CI: "" };
    const { store } = openLogins({ env });
    await store.save(LOGIN);
    const folder = join(project.dir, "state/mcp-codegen/logins");
    execFileSync("mkfifo", ["-m", "600", join(folder, `${"0".repeat(32)}.json`)]);
    const { logins, problems } = await store.readAll();
    expect(logins.map(({ resource }) => resource)).toEqual([LOGIN.resource]);
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ["LOGIN_UNSAFE", expect.stringMatching(/0\.json" is neither a file nor a folder\.$/)],
    ]);
  });

  it.skipIf(process.platform !== "linux")(
    "that cannot be made ends with an error, and does not wait",
    async () => {
      const { store } = openLogins({ env: { XDG_STATE_HOME: "/proc/state", CI: "" } });
      await expect(store.save(LOGIN)).rejects.toMatchObject({
        code: "FILE_FAILED",
        message: expect.stringContaining('"/proc/state/mcp-codegen/logins" cannot be created') as string,
      });
    },
  );
});
