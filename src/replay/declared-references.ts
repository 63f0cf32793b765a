import { McpCodegenError } from "../contract/errors.js";
import type { RecordedCall } from "../runtime/call-recorder.js";
import type { References, ValuePath } from "./plan.js";
import { isSameId, leavesOf, spellPath } from "./values.js";

/** What is declared of arguments, by the tool's name and the argument's. */
export type Declared = ReadonlyMap<string, ReadonlyMap<string, "same" | DeclaredSource>>;

export interface DeclaredSource {
  /** Where the result of an earlier change has this id; undefined where it has not. */
  find(earlier: RecordedCall, result: unknown, id: string | number): ValuePath | undefined;
}

/** The names of tools that references may speak of. */
export interface KnownTool {
  readonly server: string;
  readonly name: string;
}

/**
 * Reads references.
 *
 * @throws McpCodegenError `USAGE` for a tool that does not exist, and for a source that names none
 */
export function readReferences(references: References, tools: readonly KnownTool[]): Declared {
  return new Map(
    Object.entries(references).map(([tool, declared]) => {
      if (!tools.some((known) => isCalled(known, tool))) throw unknownTool(tool);
      const sources = Object.entries(declared).map(([argument, given]) => {
        const texts = typeof given === "string" ? [given] : given;
        return [argument, given === "same" ? "same" : readSources(texts, tool, argument, tools)] as const;
      });
      return [tool, new Map(sources)];
    }),
  );
}

/** What is declared of an argument of a change. */
export function findDeclared(
  declared: Declared,
  { server, tool }: RecordedCall,
  argument: string,
): "same" | DeclaredSource | undefined {
  return declared.get(`${server}__${tool}`)?.get(argument) ?? declared.get(tool)?.get(argument);
}

function isCalled({ server, name }: KnownTool, spelled: string): boolean {
  return spelled === name || spelled === `${server}__${name}`;
}

function readSources(
  texts: readonly string[],
  tool: string,
  argument: string,
  tools: readonly KnownTool[],
): DeclaredSource {
  const sources = texts.map((text) => {
    // Names of tools may hold dots: the longest that is known is meant.
    const dots = [...text.matchAll(/\./g)].map(({ index }) => index).reverse();
    const dot = dots.find((at) => tools.some((known) => isCalled(known, text.slice(0, at))));
    if (dot === undefined || dot === text.length - 1) throw noSource(text, tool, argument);
    return { name: text.slice(0, dot), path: text.slice(dot + 1) };
  });
  return {
    find: (earlier, result, id) => {
      const known = { server: earlier.server, name: earlier.tool };
      const wanted = sources.filter(({ name }) => isCalled(known, name)).map(({ path }) => path);
      if (wanted.length === 0) return undefined;
      return leavesOf(result).find(
        ({ path, value }) => wanted.includes(spellPath(path)) && isSameId(value, id),
      )?.path;
    },
  };
}

function unknownTool(tool: string): McpCodegenError {
  return new McpCodegenError(
    "USAGE",
    `The references name a tool ${JSON.stringify(tool)} that does not exist.`,
    {
      hint: "Write a tool's name as its server does, or as server__tool.",
    },
  );
}

function noSource(text: string, tool: string, argument: string): McpCodegenError {
  const message = `The reference ${JSON.stringify(text)} of ${JSON.stringify(`${tool}.${argument}`)} names no tool and path.`;
  return new McpCodegenError("USAGE", message, {
    hint: 'Write "create-post.id": a tool, a dot, and where its result has the id; or "same".',
  });
}
