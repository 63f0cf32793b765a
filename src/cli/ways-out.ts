import { join } from "node:path";
import type { Change } from "../core/change.js";
import { INSTALL_PEER } from "../core/packages.js";
import type { FindTsconfig } from "../pipeline/options.js";
import type { Project } from "../project/project.js";
import type { Repair } from "../report/report-content.js";
import { waysOut, type WaysOptions } from "../report/report-head.js";
import { type Context, today } from "./context.js";
import { findOwnTsconfig, homeFolder } from "./load-project.js";
import { hasPackage } from "./packages.js";
import { printCommand } from "./print-text.js";

/** For how long a proposed waiver holds. */
const DAYS = 30;

/**
 * Returns what can be done about changes besides taking all of them.
 *
 * @param scope the options of a check that finds the changes
 */
export async function findWays(
  { io }: Context,
  project: Project,
  changes: readonly Change[],
  scope: readonly string[],
  options: Pick<WaysOptions, "isPullable" | "php">,
): Promise<readonly Repair[]> {
  return waysOut(changes, project, {
    ...options,
    check: printCommand("check", scope),
    until: new Date(Date.parse(today()) + DAYS * 86_400_000).toISOString().slice(0, 10),
    npxCache: join(homeFolder(io.env), ".npm", "_npx"),
  });
}

/** Returns a function that finds the user's TypeScript project; undefined where no code is generated. */
export function findUserCode(project: Project): FindTsconfig | undefined {
  if (project.config.output === false) return undefined;
  return () => {
    const path = findOwnTsconfig(project);
    const problem = path === undefined || hasPackage("ts-morph", project.dir) ? undefined : NO_COMPILER;
    return Promise.resolve(path === undefined ? undefined : { path, problem });
  };
}

const NO_COMPILER = `ts-morph is not installed. To see the lines of your code that break: ${INSTALL_PEER["ts-morph"]}`;
