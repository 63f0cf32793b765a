import { getServer } from "../../config/config.js";
import { parseServerArgument } from "../../config/parse-server-argument.js";
import { McpCodegenError } from "../../contract/errors.js";
import type { HttpEndpoint } from "../../transport/endpoint.js";
import { resolveEndpoint } from "../../transport/resolve-endpoint.js";
import type { Context } from "../context.js";
import { findProject, loadProject, readLookup } from "../load-project.js";

/** The server of a login, as the user named it. */
export interface LoginTarget {
  readonly name: string;
  readonly endpoint: HttpEndpoint;
}

/**
 * Returns the endpoint of a configured server, or of a URL.
 *
 * @throws McpCodegenError `SERVER_UNKNOWN`, `USAGE` for a server that has other credentials or is started by a command
 */
export async function findLoginTarget(
  context: Context,
  name: string,
  environment: string | undefined,
): Promise<LoginTarget> {
  const isUrl = /^https?:\/\//i.test(name);
  const project = isUrl ? await findProject(context) : await loadProject(context);
  const settings = isUrl
    ? parseServerArgument(name).settings
    : getServer(project?.config.servers ?? {}, name);
  const endpoint = resolveEndpoint(settings, {
    lookup: await readLookup(context, project?.dir ?? context.io.cwd),
    where: `servers.${name}`,
    ...(environment !== undefined && { environment }),
  });
  const quoted = JSON.stringify(name);
  if (endpoint.kind === "stdio") {
    throw new McpCodegenError(
      "USAGE",
      `Server ${quoted} is started by a command, which does not use OAuth.`,
      {
        hint: "Pass its credentials under env.",
      },
    );
  }
  if ("authorization" in endpoint.headers) {
    throw new McpCodegenError(
      "USAGE",
      `Server ${quoted} has other credentials, which a login would not replace.`,
      {
        hint: `Remove them, or write servers.${name}.auth as { type: "oauth" }.`,
      },
    );
  }
  return { name, endpoint };
}
