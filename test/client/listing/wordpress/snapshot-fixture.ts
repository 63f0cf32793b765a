import type { ServerConfig } from "../../../../src/config/config.js";
import type { ServerSnapshot } from "../../../../src/core/snapshot.js";
import { snapshotServer } from "../../../../src/sources/snapshot-server.js";
import { startFixture } from "../../../servers/start-fixture.js";

export const PATH = "/wp-json/mcp/mcp-adapter-default-server";
const AUTH = { basic: { username: "${WP_USER}", password: "${WP_APP_PASSWORD}" } };
const VARIABLES: Readonly<Record<string, string>> = { WP_USER: "editor", WP_APP_PASSWORD: "abcd efgh ijkl" };

export async function snapshot(config: ServerConfig): Promise<ServerSnapshot> {
  const target = { server: "wordpress", settings: config };
  const { snapshot: taken } = await snapshotServer(target, { dir: ".", lookup: (name) => VARIABLES[name] });
  return taken;
}

/** Returns the snapshot of a fixture that is started with these flags. */
export async function snapshotFixture(
  args: readonly string[],
  { path = PATH, ...config }: ServerConfig & { readonly path?: string } = {},
): Promise<ServerSnapshot> {
  const server = await startFixture("wordpress", { args });
  try {
    return await snapshot({ url: server.url.replace("/mcp", path), auth: AUTH, ...config });
  } finally {
    await server.close();
  }
}
