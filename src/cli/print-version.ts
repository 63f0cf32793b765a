import process from "node:process";
import { LOCKFILE_VERSION } from "../contract/lockfile.js";
import { PROTOCOL_VERSIONS } from "../contract/connection.js";
import { EMIT_REVISION } from "../pipeline/generate/generate.js";
import type { VersionDocument } from "../report/documents.js";
import { printJson } from "../contract/printable.js";
import type { Io } from "./context.js";
import { readPackage } from "./read-package.js";

/** Prints the document of `--version --json`. */
export function printVersion({ stdout }: Io): void {
  const document: VersionDocument = {
    report: "version",
    exitCode: 0,
    name: "mcp-codegen",
    version: readPackage().version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    emitRevision: EMIT_REVISION,
    lockfileVersion: LOCKFILE_VERSION,
    protocolVersions: PROTOCOL_VERSIONS,
  };
  stdout.write(`${printJson(document)}\n`);
}
