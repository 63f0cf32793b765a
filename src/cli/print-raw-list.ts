import { McpCodegenError } from "../contract/errors.js";
import type { LockedServer } from "../contract/lockfile.js";
import { snapshotOfLock } from "../contract/lock-server.js";
import { isUnknownIdentity } from "../contract/snapshot.js";
import { printable, printJson } from "../contract/printable.js";
import type { Context } from "./context.js";
import type { CommandOptions } from "./command-table.js";

/** @throws McpCodegenError `USAGE` for options that select another output */
export function assertRawOnly({ options }: Context, { tokens, fidelity, env }: CommandOptions<"list">): void {
  const others = {
    "--json": options.json === true,
    "--tokens": tokens === true,
    "--fidelity": fidelity === true,
    "--env all": env === "all",
  };
  const other = Object.entries(others).find(([, isSet]) => isSet)?.[0];
  if (other === undefined) return;
  throw new McpCodegenError("USAGE", `--raw cannot be used with ${other}.`, {
    hint: "--raw prints the tool list of one server as JSON.",
  });
}

/**
 * Returns the only one of the names.
 *
 * @throws McpCodegenError `USAGE` for none or several
 */
export function assertOneServer(names: readonly string[]): string {
  const [first, ...others] = names;
  if (first !== undefined && others.length === 0) return first;
  const found = names.map((name) => JSON.stringify(name)).join(", ");
  throw new McpCodegenError("USAGE", `--raw prints the tool list of one server; found ${found || "none"}.`, {
    hint: `For example: npx mcp-codegen list ${first ?? "name"} --raw > tools.json.`,
  });
}

/**
 * Prints the tools of a server as a `tools/list` result with the server's identity, which `diff` and the `file` key
 * read. Notes each tool that generates no code on stderr.
 */
export function printRawList({ io, paint }: Context, server: string, block: LockedServer): void {
  const { identity, tools, repeated = [], unusable } = snapshotOfLock(server, block);
  const notes = Object.entries(unusable).map(([name, reason]) =>
    paint.yellow(`note: "${printable(name, 120)}" generates no code: ${printable(reason, 400)}`),
  );
  if (notes.length > 0) io.stderr.write(`${notes.join("\n")}\n`);
  const list = { ...(!isUnknownIdentity(identity) && identity), tools: [...tools, ...repeated] };
  io.stdout.write(`${printJson(list)}\n`);
}
