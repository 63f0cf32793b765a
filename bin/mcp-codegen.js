#!/usr/bin/env node
import process from "node:process";

// An older Node fails in a package with a syntax error or a missing export, so it is refused before anything is imported.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`mcp-codegen needs Node 20.19 or later; this is ${process.versions.node}.\n`);
  process.exit(2);
}
// Node 20 spends a quarter of a short run on optimizing functions that soon end. Later versions have no such flag.
if (major < 22) (await import("node:v8")).setFlagsFromString("--interrupt-budget=500000");
let cwd;
try {
  cwd = process.cwd();
} catch {
  process.stderr.write("error: The working folder does not exist, or cannot be read.\n");
  process.exit(2);
}
const { abortOnSignals, run } = await import("../dist/cli/run.js");

const { stdin, stdout, stderr } = process;
const exitCode = await run(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  cwd,
  env: process.env,
  signal: abortOnSignals(),
});
// Flush both pipes, then exit at once: without exit(), Node would first free its heap.
await Promise.all([stdout, stderr].map((stream) => new Promise((done) => stream.write("", done))));
process.exit(exitCode);
