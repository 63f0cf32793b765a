#!/usr/bin/env node
import process from "node:process";
import { run } from "../dist/cli/run.js";

const interrupt = new AbortController();
// Only the first signal interrupts gracefully; the second ends the process.
process.once("SIGINT", () => interrupt.abort("SIGINT"));
process.once("SIGTERM", () => interrupt.abort("SIGTERM"));

const { stdin, stdout, stderr } = process;
const exitCode = await run(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  cwd: process.cwd(),
  env: process.env,
  signal: interrupt.signal,
});
// Flush both pipes, then exit at once: without exit(), Node would first free its heap.
await Promise.all([stdout, stderr].map((stream) => new Promise((done) => stream.write("", done))));
process.exit(exitCode);
