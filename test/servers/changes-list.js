// Lists "act", "change" and "tally". After a call of "change", "act" requires a second argument; --notify yes sends a
// notification. "tally" returns how often the list was read, and "act" how often it was called.
import { setTimeout } from "node:timers/promises";
import { plainTool, readOptions, serve, textResult } from "./raw-server.js";

const options = readOptions({ notify: "no", delay: "0" });
const tally = { listed: 0, acted: 0 };
let hasChanged = false;

serve(
  {
    name: "changes-list",
    capabilities: { tools: { listChanged: true } },
    list: async () => {
      tally.listed += 1;
      await setTimeout(Number(options.delay));
      const act = plainTool("act", { annotations: { readOnlyHint: true } });
      const properties = { ...act.inputSchema.properties, why: { type: "string" } };
      const other = { ...act, inputSchema: { type: "object", properties, required: ["id", "why"] } };
      const more = [
        ...["change", "tally"].map((name) => plainTool(name, { annotations: { readOnlyHint: true } })),
        ...(hasChanged ? [plainTool("new")] : []),
      ];
      return { tools: [hasChanged ? other : act, ...more] };
    },
    call: ({ name }, connection) => {
      if (name === "act") tally.acted += 1;
      if (name === "change") {
        hasChanged = true;
        if (options.notify === "yes")
          connection.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      }
      return textResult(JSON.stringify(tally));
    },
  },
  options,
);
