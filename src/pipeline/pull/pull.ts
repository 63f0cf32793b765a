import type { Project } from "../../project/project.js";
import type { PullReport } from "./pull-report.js";
import type { PullOptions } from "./pull-project.js";

/** Reads the servers, and writes the lock and the code; see `pullProject`, which is loaded only to pull. */
export async function pull(project: Project, options: PullOptions): Promise<PullReport> {
  const { pullProject } = await import("./pull-project.js");
  return pullProject(project, options);
}
