import type { ServerConfig } from "../../config/config.js";
import type { VariableLookup } from "../../contract/connection.js";
import { McpCodegenError } from "../../contract/errors.js";
import { resolveEndpoint } from "../../transport/resolve-endpoint.js";
import type { Runner } from "../context.js";
import { findProject, readLookup } from "../load-project.js";
import { findLoginTarget } from "../login/find-login-target.js";
import { openLogins } from "../login/open-logins.js";
import { errorDetails, printError } from "../../report/print-error.js";
import { printLogin, showLogin } from "../login/show-login.js";

/** Lists logins without their tokens. */
export const runWhoami: Runner<"whoami"> = async (context, names, options) => {
  const project = await findProject(context);
  const lookup = await readLookup(context, project?.dir ?? context.io.cwd);
  const { store } = openLogins(context.io);
  const { logins, problems } = await store.readAll();
  const users = new Map(logins.map((login) => [keyOf(login), new Set<string>()]));
  for (const [name, server] of Object.entries(project?.config.servers ?? {})) {
    for (const url of urlsOf(name, server, lookup)) {
      const login = await store.find(url);
      if (login !== undefined) users.get(keyOf(login))?.add(name);
    }
  }
  const wanted = new Set<string>();
  const missing: string[] = [];
  for (const name of names) {
    const { endpoint } = await findLoginTarget(context, name, options.env);
    const login = await store.find(endpoint.url);
    if (login === undefined) missing.push(name);
    else wanted.add(keyOf(login));
  }
  const shown = logins
    .filter((login) => names.length === 0 || wanted.has(keyOf(login)))
    .map((login) => showLogin(login, [...(users.get(keyOf(login)) ?? [])]));
  const now = Date.now();
  context.print([
    ...shown.flatMap((login) => printLogin(login, now)),
    ...missing.map(
      (name) => `You are not logged in to ${JSON.stringify(name)}. Run "npx mcp-codegen login ${name}".`,
    ),
    ...(shown.length + missing.length + problems.length === 0
      ? ["You are not logged in to any server."]
      : []),
  ]);
  for (const problem of problems)
    context.io.stderr.write(`${printError(problem, context.paint).join("\n")}\n`);
  const exitCode = problems.length > 0 ? 2 : missing.length === 0 ? 0 : 1;
  context.printDocument({
    ...{ report: "whoami", exitCode, logins: shown, missing },
    ...(problems.length > 0 && { problems: problems.map(errorDetails) }),
  });
  return exitCode;
};

function keyOf({ issuer, resource }: { readonly issuer: string; readonly resource: string }): string {
  return JSON.stringify([issuer, resource]);
}

/** Returns the URLs of a server and its environments, without those whose variables are not set. */
function urlsOf(name: string, server: ServerConfig, lookup: VariableLookup): readonly string[] {
  return [undefined, ...Object.keys(server.environments ?? {})].flatMap((environment) => {
    try {
      const where = `servers.${name}`;
      const endpoint = resolveEndpoint(server, {
        lookup,
        where,
        ...(environment !== undefined && { environment }),
      });
      return endpoint.kind === "http" && !("authorization" in endpoint.headers) ? [endpoint.url] : [];
    } catch (error) {
      if (error instanceof McpCodegenError) return [];
      throw error;
    }
  });
}
