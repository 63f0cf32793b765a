/** The judges of recorded calls and saved scripts: loaded only for a project that has some. */
export { checkCassettes } from "../../project/tools/check-cassettes.js";
export { checkScripts } from "../../project/tools/check-scripts.js";
