// Lists "select_project" alone until it is called with the key that the environment variable KEY names; then "deploy", too.
// `--hint no`: "select_project" is not marked as read-only.
import process from "node:process";
import { plainTool, readOptions, serve, textResult } from "./raw-server.js";

const options = readOptions({ hint: "yes" });
let isSelected = false;

serve(
  {
    name: "selects",
    list: () => ({
      tools: [
        plainTool("select_project", options.hint === "yes" ? { annotations: { readOnlyHint: true } } : {}),
        ...(isSelected ? [plainTool("deploy")] : []),
      ],
    }),
    call: ({ name, arguments: given }) => {
      const { id, key } = /** @type {{ id: number, key?: string }} */ (given);
      if (name === "deploy") return textResult(isSelected ? `deployed ${id}` : "no project");
      isSelected = key === process.env["KEY"];
      return { ...textResult(isSelected ? "selected" : `no project with key ${key}`), isError: !isSelected };
    },
  },
  options,
);
