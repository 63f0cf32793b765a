import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/core/json.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import type { Emission } from "../../src/emit/emit.js";
import { validateTools } from "../../src/client/listing/validate-tools.js";
import { dataFiles } from "../data/files.js";
import { emissionFolder } from "./emission-folder.js";
import { lockOf } from "./golden-cases.js";
import { sample } from "../sample.js";

const generated = emissionFolder("mcp-codegen-tool-lists");

/** A program of all modules would take gigabytes, since every Zod schema is a separate type. */
const TOOLS_PER_PROGRAM = 250;

interface ToolList {
  readonly tools: readonly JsonValue[];
}

/** Returns the tools that a pull would lock: one of these servers lists a name twice. */
function readLists(): { readonly [server: string]: readonly ToolSnapshot[] } {
  const entries = sample(dataFiles("tool-lists"), 6).map((path) => {
    const file = basename(path);
    const { tools: entries } = JSON.parse(readFileSync(path, "utf8")) as ToolList;
    const { tools } = validateTools(file, [{ entries }]);
    return [`s_${file.replace(/\.json$/, "").replace(/\W+/g, "_")}`, tools] as const;
  });
  return Object.fromEntries(entries);
}

describe("published tool lists", () => {
  let emission: Emission;
  let servers: ReturnType<typeof readLists>;

  beforeAll(async () => {
    servers = readLists();
    emission = await generated.emit(lockOf({ servers: {} }, servers));
  }, 300_000);

  afterAll(() => {
    generated.remove();
  });

  it("generate a module for every tool", () => {
    expect(emission.diagnostics.filter(({ code }) => code === "TOOL_UNUSABLE")).toEqual([]);
    const tools = Object.values(servers).flat().length;
    expect(emission.files).toHaveLength(tools + 3 * Object.keys(servers).length + 1);
  });

  it.each(groupsOf(readLists()))(
    "compile under the strictest flags: $first and $rest others",
    ({ names }) => {
      expect(generated.compile(names)).toBe("");
    },
    300_000,
  );
});

function groupsOf(servers: ReturnType<typeof readLists>): readonly Group[] {
  const groups: { names: string[]; tools: number }[] = [];
  for (const [name, { length }] of Object.entries(servers)) {
    const last = groups.at(-1);
    if (last === undefined || last.tools + length > TOOLS_PER_PROGRAM)
      groups.push({ names: [name], tools: length });
    else {
      last.names.push(name);
      last.tools += length;
    }
  }
  return groups.map(({ names }) => ({ names, first: names[0] ?? "", rest: names.length - 1 }));
}

interface Group {
  readonly names: readonly string[];
  readonly first: string;
  readonly rest: number;
}
