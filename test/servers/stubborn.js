// Ignores the end of its input and SIGTERM, as does the process that it starts. Prints the ids of both.
import { spawn } from "node:child_process";
import process from "node:process";

process.on("SIGTERM", () => undefined);
setInterval(() => undefined, 60_000);
const [isInner] = process.argv.slice(2);
if (isInner === undefined) {
  const inner = spawn(process.execPath, [process.argv[1] ?? "", "inner"], {
    stdio: ["inherit", "pipe", "inherit"],
  });
  inner.stdout.once("data", () => process.stdout.write(`${process.pid} ${inner.pid}\n`));
} else process.stdout.write("ready\n");
