// Exits with code 7 at one step: --at start, initialize, list (at the second page) or call.
import process from "node:process";
import { plainTool, readOptions, serve } from "./raw-server.js";

const options = readOptions({ at: "list" });

/** @param {string} step */
function die(step) {
  if (options.at !== step) return undefined;
  process.stderr.write(`dies-midway: giving up at ${step}\n`);
  return process.exit(7);
}

die("start");
serve(
  {
    name: "dies-midway",
    methods: { initialize: () => die("initialize") },
    list: ({ cursor }) => {
      if (cursor !== undefined) die("list");
      return cursor === undefined
        ? { tools: [plainTool("first")], nextCursor: "more" }
        : { tools: [plainTool("second")] };
    },
    call: () => die("call") ?? { content: [] },
  },
  options,
);
