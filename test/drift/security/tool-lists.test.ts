/** How often the rules object to real tools that mean no harm: never. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/contract/json.js";
import type { ToolSnapshot } from "../../../src/contract/snapshot.js";
import { diffToolPoison } from "../../../src/drift/security/diff-poison.js";
import { findPoison } from "../../../src/drift/security/find-poison.js";

const LISTS = "../shared/data/tool-lists/";
const CHANGES = "../shared/data/tool-changes/";

interface List {
  readonly tools: readonly ToolSnapshot[];
  readonly serverInfo?: JsonObject;
  readonly instructions?: string | null;
}

/** One change of a tool in the history of a server. */
interface Step {
  readonly tool: string;
  readonly before: ToolSnapshot | null;
  readonly after: ToolSnapshot | null;
}

function readAll(folder: string): readonly (readonly [file: string, content: unknown])[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => [file, JSON.parse(readFileSync(folder + file, "utf8"))]);
}

const toList = (tool: ToolSnapshot | null): readonly ToolSnapshot[] => (tool === null ? [] : [tool]);

describe.skipIf(!existsSync(LISTS))(`tools of public servers, all of them new (needs ${LISTS})`, () => {
  it("are not objected to", () => {
    const found = readAll(LISTS).flatMap(([file, content]) => {
      const { tools, serverInfo = {}, instructions } = content as List;
      const options = {
        server: file,
        own: new Set(tools.map(({ name }) => name)),
        others: new Set<string>(),
      };
      const words = { serverInfo, instructions: instructions ?? "" };
      return [
        ...findPoison(words, "", options).map(({ rule, passage }) => [file, rule, passage]),
        ...tools.flatMap((tool) =>
          findPoison(tool, "", { ...options, tool: tool.name }).map(({ rule, passage }) => [
            `${file} ${tool.name}`,
            rule,
            passage,
          ]),
        ),
      ];
    });
    expect(found).toEqual([]);
  });
});

describe.skipIf(!existsSync(CHANGES))(`histories of public servers (needs ${CHANGES})`, () => {
  it("have no version and no change that is objected to", () => {
    const found = readAll(CHANGES).flatMap(([file, content]) => {
      const steps = content as readonly Step[];
      const own = new Set(steps.map(({ tool }) => tool));
      const options = { server: file, own, others: new Set<string>() };
      return steps.flatMap(({ before, after }) =>
        [
          ...diffToolPoison(undefined, toList(before), options),
          ...diffToolPoison(undefined, toList(after), options),
          ...(before === null ? [] : diffToolPoison(before, toList(after), options)),
        ].map((change) => [file, change.tool, change.rule, change.after]),
      );
    });
    expect(found).toEqual([]);
  });
});
