// First writes --say to stderr, where "\n" starts a new line. Then --then decides: serve, hang (a bridge that waits for a
// login), or exit. With --log, it adds a line to that file at each start.
import { appendFileSync } from "node:fs";
import process from "node:process";
import { setInterval } from "node:timers";
import { plainTool, readOptions, serve, textResult } from "./raw-server.js";

const options = readOptions({ say: "Listening.", then: "serve", log: "" });

if (options.log !== "") appendFileSync(options.log, "started\n");
process.stderr.write(`${options.say.replaceAll("\\n", "\n")}\n`);

switch (options.then) {
  case "exit":
    process.exitCode = 3;
    break;
  case "hang":
    process.stdin.resume().on("end", () => process.exit(0));
    setInterval(() => undefined, 60_000);
    break;
  default:
    serve(
      {
        name: "talkative",
        list: () => ({ tools: [plainTool("say", { annotations: { readOnlyHint: true } })] }),
        call: () => {
          process.stderr.write("called\n");
          return textResult("said");
        },
      },
      options,
    );
}
