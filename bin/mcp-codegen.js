#!/usr/bin/env node
import process from "node:process";
import { run } from "../dist/cli/run.js";

const interrupt = new AbortController();
// Once each: who interrupts again means it.
process.once("SIGINT", () => interrupt.abort("SIGINT"));
process.once("SIGTERM", () => interrupt.abort("SIGTERM"));

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
  env: process.env,
  signal: interrupt.signal,
});
