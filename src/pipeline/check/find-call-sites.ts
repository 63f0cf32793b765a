import { relative, sep } from "node:path";
import type { Change, ImpactSummary } from "../../core/change.js";
import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { mayHitCode } from "../../impact/changes.js";
import type { Project } from "../../project/project.js";
import type { FindTsconfig } from "../options.js";
import type { CheckReport } from "./check-report.js";
import type { LockRevision } from "./find-drift.js";

/**
 * Renders the files of each revision in memory, and finds the user's code that the changes affect. Files that cannot
 * be rendered hide no change: the report gives the reason. The same applies to code that cannot be read, if
 * `tsconfig` is a function: call sites were not requested then.
 */
export async function findCallSites(
  changes: readonly Change[],
  revisions: readonly LockRevision[],
  project: Project,
  wanted: string | FindTsconfig,
): Promise<Pick<CheckReport, "changes" | "impact">> {
  const isAsked = typeof wanted === "string";
  if (!isAsked && !changes.some(mayHitCode)) return { changes };
  const code = isAsked ? { path: wanted } : await wanted();
  if (code === undefined) return { changes };
  const { path: tsconfig } = code;
  const traced: Change[] = [];
  let impact: ImpactSummary = {
    projects: tsconfig === undefined ? [] : [relative(project.dir, tsconfig).split(sep).join("/")],
    files: 0,
    unused: [],
    ...omitUndefined({ problem: code.problem }),
  };
  if (code.problem !== undefined) return { changes, impact };
  for (const revision of revisions) {
    const those = changes.filter(({ environment }) => environment === revision.environment);
    if (those.length === 0) continue;
    try {
      const { findHits } = await import("./find-hits.js");
      const hit = await findHits(revision, those, project, tsconfig);
      traced.push(...hit.changes);
      impact = joinSummaries(impact, hit.summary);
    } catch (error) {
      const problem = problemOf(error, isAsked);
      if (problem === undefined) throw error;
      traced.push(...those);
      impact = { ...impact, problem };
    }
  }
  return { changes: traced, impact };
}

/** The reason why call sites are unknown; undefined for an error that ends the check. */
function problemOf(error: unknown, isAsked: boolean): string | undefined {
  if (error instanceof McpCodegenError && error.code === "NAME_COLLISION") return error.message;
  return isAsked || !(error instanceof Error) ? undefined : error.message;
}

function joinSummaries(a: ImpactSummary, b: ImpactSummary): ImpactSummary {
  const keys = new Set(a.unused.map(({ server, tool }) => JSON.stringify([server, tool])));
  const unused = b.unused.filter(({ server, tool }) => !keys.has(JSON.stringify([server, tool])));
  return { ...a, ...b, files: Math.max(a.files, b.files), unused: [...a.unused, ...unused] };
}
