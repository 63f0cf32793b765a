/** The formats of reports that list findings, which are loaded together. */
export { printGithub } from "./github.js";
export { printJunit } from "./junit.js";
export { printMarkdown } from "./markdown.js";
export { printSarif } from "./sarif.js";
