/** Records calls that make changes, and replays them in another environment. */
export { McpCodegenError, type ErrorCode } from "../../core/errors.js";
export type { AgentResult, AgentStep, StreamedAgentResult } from "./agent-result.js";
export { createChangeTracker, type ChangeTracker, type TrackerOptions } from "./change-tracker.js";
export { planReplay } from "./make-plan.js";
export { replay } from "./run-replay.js";
export {
  type Conflict,
  type ConflictKind,
  type Decision,
  type Reference,
  type References,
  type ReplayOptions,
  type ReplayPlan,
  type ReplayReport,
  type ReplayStep,
  type ReplayTarget,
  type StepReport,
  type ToolSet,
  type ValuePath,
} from "./plan.js";
export {
  memoryLines,
  type Lines,
  parseChanges,
  type DamagedLine,
  type ParsedChanges,
  type UnresolvedCall,
} from "./parse-changes.js";
