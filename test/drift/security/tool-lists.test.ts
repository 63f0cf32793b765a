/** Checks that no real tool is held back: published lists, histories, and abilities of WordPress. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { diffIdentityPoison, diffToolPoison } from "../../../src/drift/security/find-poison.js";
import { dataFiles } from "../../data/files.js";

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

function readAll(kind: Parameters<typeof dataFiles>[0]): readonly (readonly [string, unknown])[] {
  return dataFiles(kind).map((path) => [basename(path), JSON.parse(readFileSync(path, "utf8"))]);
}

it("finds nothing in published lists of tools", () => {
  const found = readAll("tool-lists").flatMap(([server, list]) => {
    const { tools, serverInfo = {}, instructions } = list as List;
    const context = { server, own: new Set(tools.map(({ name }) => name)), others: new Set<string>() };
    const identity = { serverInfo, protocolVersion: "", capabilities: {}, instructions: instructions ?? "" };
    return [
      ...diffIdentityPoison(undefined, identity, context),
      ...tools.flatMap((tool) => diffToolPoison(undefined, [tool], context)),
    ];
  });
  expect(found).toEqual([]);
});

it("finds nothing in abilities of WordPress", () => {
  const kinds = ["wordpress", "wordpress/tools-adapter-0.4.1", "wordpress/tools-adapter-0.5.0"] as const;
  const found = kinds.flatMap(readAll).flatMap(([server, content]) => {
    const tool = { ...(content as JsonObject), name: server };
    const names = JSON.stringify(content).match(/[\w.-]{5,}/g);
    return diffToolPoison(undefined, [tool], { server, own: new Set(names), others: new Set() });
  });
  expect(found).toEqual([]);
});

it("finds nothing in versions and changes of tools", () => {
  const found = readAll("tool-changes").flatMap(([server, content]) => {
    const steps = content as readonly Step[];
    const context = { server, own: new Set(steps.map(({ tool }) => tool)), others: new Set<string>() };
    return steps.flatMap(({ before, after }) =>
      [undefined, before ?? undefined].flatMap((earlier) =>
        [before, after].flatMap((tool) => (tool === null ? [] : diffToolPoison(earlier, [tool], context))),
      ),
    );
  });
  expect(found).toEqual([]);
});
