#!/usr/bin/env node
import process from "node:process";
import { run } from "../dist/cli/run.js";

const interrupt = new AbortController();
// Once each: who interrupts again means it.
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
// What was written may still be on its way into a pipe. Left to end by itself, Node would first take its heap apart.
await Promise.all([stdout, stderr].map((stream) => new Promise((done) => stream.write("", done))));
process.exit(exitCode);
