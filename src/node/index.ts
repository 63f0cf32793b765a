/** What generated code's users need of Node: the disk. */
export { openChangeFile, readChanges, type ChangeFile, type ChangeFileOptions } from "./change-file.js";
