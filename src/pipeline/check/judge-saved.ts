/** The judges of what a project keeps beside its lock: recorded calls, saved scripts, and names in files and in the policy. */
export { checkCassettes } from "../../project/tools/check-cassettes.js";
export { checkScripts } from "../../project/tools/check-scripts.js";
export { findNames } from "./find-mentions.js";
