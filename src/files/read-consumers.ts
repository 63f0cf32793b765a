import { relative, sep } from "node:path";
import type { KnownConsumer } from "../core/consumer.js";
import { CONSUMER_FORMAT, parseConsumer } from "../core/consumer-text.js";
import { McpCodegenError } from "../core/errors.js";
import { formatLimit } from "../core/limits.js";
import { printable } from "../core/printable.js";
import { parseForFormat } from "./parse-json.js";
import { readBounded } from "./read-bounded.js";
import { fileFailed } from "./write-atomic.js";

/** The files of a hundred thousand calls are smaller. */
const LIMIT = 16 * 1024 * 1024;

/**
 * Returns the consumers in the files that match glob patterns, by path. A pattern may also be a path.
 *
 * @param folder the folder that the patterns are relative to
 * @param cwd the working folder, which reported paths are relative to
 * @throws McpCodegenError `USAGE` for a pattern that matches no file, `CONSUMER_INVALID` for two files of one consumer and
 * for an invalid file, with its place; `FILE_FAILED`
 */
export async function readConsumers(
  patterns: readonly string[],
  { folder, cwd }: { readonly folder: string; readonly cwd: string },
): Promise<readonly KnownConsumer[]> {
  const { glob, escapePath, isDynamicPattern } = await import("tinyglobby");
  const files = new Set<string>();
  for (const pattern of patterns) {
    const posix = pattern.replaceAll("\\", "/");
    const found = await glob(isDynamicPattern(posix) ? posix : escapePath(posix), {
      cwd: folder,
      absolute: true,
      followSymbolicLinks: false,
    });
    if (found.length === 0)
      throw new McpCodegenError(
        "USAGE",
        `No consumer's file matches ${JSON.stringify(printable(pattern))}.`,
        {
          hint: 'A consumer writes its file with "npx mcp-codegen export --consumer <name>".',
        },
      );
    for (const file of found) files.add(file);
  }
  const known: KnownConsumer[] = [];
  for (const path of [...files].sort()) {
    const file = printable(relative(cwd, path).split(sep).join("/"));
    const consumer = parseConsumer(parseForFormat(CONSUMER_FORMAT, await readText(path, file), file), file);
    const other = known.find((one) => one.consumer.consumer === consumer.consumer);
    if (other !== undefined)
      throw new McpCodegenError(
        "CONSUMER_INVALID",
        `"${other.file}" and "${file}" are both of consumer "${printable(consumer.consumer)}".`,
        { hint: "Keep one file for each consumer." },
      );
    known.push({ file, consumer });
  }
  return known;
}

async function readText(path: string, file: string): Promise<string> {
  try {
    return (await readBounded(path, LIMIT)).toString("utf8");
  } catch (cause) {
    if (!(cause instanceof McpCodegenError)) throw fileFailed(`"${file}" cannot be read`, cause);
    throw new McpCodegenError("CONSUMER_INVALID", `"${file}" holds more than ${formatLimit(LIMIT)}.`, {
      hint: 'A consumer\'s file is small; "npx mcp-codegen export" writes it.',
    });
  }
}
