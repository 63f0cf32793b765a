// Takes --delay milliseconds for one step: --at start (before it reads input), initialize, list or call. With --effect reads, its tool only reads.
import { setTimeout } from "node:timers/promises";
import { plainTool, readOptions, serve, textResult } from "./raw-server.js";

const options = readOptions({ delay: "2000", at: "list", effect: "writes" });

/** @param {string} step */
async function wait(step) {
  if (options.at === step) await setTimeout(Number(options.delay));
}

void wait("start").then(() => {
  serve(
    {
      name: "slow",
      methods: { initialize: () => wait("initialize") },
      list: async () => {
        await wait("list");
        const more = options.effect === "reads" ? { annotations: { readOnlyHint: true } } : {};
        return { tools: [plainTool("wait", more)] };
      },
      call: async () => {
        await wait("call");
        return textResult("done");
      },
    },
    options,
  );
});
