// Takes --delay milliseconds for one step: --at start (before it reads input), initialize, list or call.
import { setTimeout } from "node:timers/promises";
import { plainTool, readOptions, serve, textResult } from "./raw-server.js";

const options = readOptions({ delay: "2000", at: "list" });

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
        return { tools: [plainTool("wait")] };
      },
      call: async () => {
        await wait("call");
        return textResult("done");
      },
    },
    options,
  );
});
