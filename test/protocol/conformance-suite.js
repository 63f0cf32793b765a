// Runs commands of the official suite that the parent process sends, one after the other: to load the suite takes longer than
// most of its scenarios.
import process from "node:process";
import { format } from "node:util";
import "@modelcontextprotocol/conformance/dist/index.js";

/** The suite's command line, which `conformance.test.ts` puts there. @type {{ parseAsync(args: string[], options: object): Promise<unknown> }} */
const program = Reflect.get(globalThis, "conformance");

/** @param {string[]} args */
async function run(args) {
  let text = "";
  /** @type {number | undefined} */
  let exitCode;
  const print = (/** @type {unknown[]} */ ...parts) => void (text += `${format(...parts)}\n`);
  Object.assign(globalThis.console, { log: print, error: print, warn: print, info: print });
  process.exit = (code) => {
    exitCode ??= Number(code ?? 0);
    throw new Error("The command has ended.");
  };
  await program.parseAsync(args, { from: "user" }).catch(() => undefined);
  process.send?.({ exitCode: exitCode ?? 0, text });
}

process.on("message", (/** @type {string[]} */ args) => void run(args));
