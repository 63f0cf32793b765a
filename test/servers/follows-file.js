// Lists the tools of a JSON file: names, or definitions; with --as prompts, one tool and the prompts of the file. --notify yes declares and sends a notification when the file is written;
// --notify declared only declares it and refuses the stream. --ttl states how long a list is fresh.
import { readFileSync, watchFile } from "node:fs";
import process from "node:process";
import { notifyAll, plainTool, readOptions, serve, textResult } from "./raw-server.js";

const options = readOptions({ file: "", notify: "no", ttl: "", as: "tools" });
/** @type {any[]} */
let entries = [];
/** A test may be writing the file: the entries before it are then listed, and the next change lists the others. */
const readEntries = () => {
  try {
    entries = JSON.parse(readFileSync(options.file, "utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return entries;
};

serve(
  {
    name: "follows-file",
    ...(options.notify !== "no" && {
      capabilities: { tools: { listChanged: true }, prompts: { listChanged: true } },
    }),
    methods: {
      "prompts/list": () => ({ prompts: readEntries().map((/** @type {any} */ name) => ({ name })) }),
    },
    list: () => ({
      tools: (options.as === "tools" ? readEntries() : ["one"]).map((/** @type {any} */ entry) =>
        typeof entry === "string" ? plainTool(entry, { annotations: { readOnlyHint: true } }) : entry,
      ),
      ...(options.ttl !== "" && { ttlMs: Number(options.ttl) }),
    }),
    call: ({ name }) => textResult(`called ${String(name)}`),
    http: (request, response) => {
      if (request.method !== "GET" || options.notify !== "declared") return false;
      response.writeHead(405).end();
      return true;
    },
  },
  options,
);
if (options.notify === "yes") {
  watchFile(options.file, { interval: 20 }, () => notifyAll(`notifications/${options.as}/list_changed`));
  // It does not keep a server alive whose client is gone.
  process.stdin.on("end", () => process.exit(0));
}
