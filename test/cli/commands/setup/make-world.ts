import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Login } from "../../../../src/core/login.js";
import { makeProject, type Project } from "../../../e2e/make-project.js";
import {
  type ProtectedOptions,
  type ProtectedServer,
  startProtected,
} from "../../../servers/start-protected.js";
import type { Outcome } from "../../run-command.js";
import { logIn, type LogInOptions } from "./log-in.js";

/** A protected server, a project that uses it, and a user. */
export interface World {
  readonly shop: ProtectedServer;
  readonly project: Project;
  readonly env: Record<string, string>;
  /** The folder of the user's logins. */
  readonly folder: string;
  readonly logins: () => Promise<readonly Login[]>;
  readonly logIn: (options?: Partial<LogInOptions>) => Promise<Outcome>;
  /** Runs a command as the user, and returns everything that it printed. */
  readonly run: (...argv: string[]) => Promise<{ readonly exitCode: number; readonly text: string }>;
  /** Makes the server forget the access token of the only login, as when it expires. */
  readonly expireToken: () => Promise<void>;
}

export async function makeWorld(
  auth?: (shop: ProtectedServer) => object,
  options?: ProtectedOptions,
): Promise<World> {
  const shop = await startProtected(options);
  const settings = auth === undefined ? {} : { auth: auth(shop) };
  const config = { output: false, servers: { shop: { url: shop.url, ...settings } } };
  const [project, home] = [await makeProject(config), await makeProject()];
  const folder = join(home.dir, "mcp-codegen", "logins");
  const env = { XDG_STATE_HOME: home.dir, CI: "" };
  const logins = async (): Promise<readonly Login[]> => {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
    const texts = names.map((name) => readFile(join(folder, name), "utf8"));
    return (await Promise.all(texts)).map((text) => JSON.parse(text) as Login);
  };
  return {
    shop,
    project,
    env,
    folder,
    logins,
    logIn: (more) => logIn("shop", { cwd: project.dir, env, ...more }),
    run: async (...argv) => {
      const { exitCode, stdout, stderr } = await project.run(argv, env);
      return { exitCode, text: stdout + stderr };
    },
    expireToken: async () => {
      const [login] = await logins();
      await (await shop.provider.AccessToken.find(login?.accessToken ?? ""))?.destroy();
    },
  };
}

/** Changes the file of the only login. */
export async function editLogin(folder: string, edit: (login: Login) => object): Promise<void> {
  const [name = ""] = await readdir(folder);
  const path = join(folder, name);
  const login = JSON.parse(await readFile(path, "utf8")) as Login;
  await writeFile(path, JSON.stringify(edit(login)));
}

/** As `expect.stringContaining`, with a type. */
export function containing(text: string): unknown {
  return expect.stringContaining(text);
}
