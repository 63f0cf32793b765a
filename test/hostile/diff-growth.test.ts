import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { BIN } from "../../benchmarks/speed/bench-project.js";
import { withSections } from "../cli/run-command.js";
import { GROWING_SCHEMAS } from "./growing-schemas.js";

const SIZE = 500;
/** The limit of processor time in seconds: twice what the slowest shape takes, since other work on a machine adds half. */
const SECONDS = 12;
const MEGABYTES = 450;
/** The limit of wall-clock time in milliseconds, for a run that waits forever. */
const PATIENCE = 900_000;

interface Shape {
  readonly name: string;
  /** The change of the schema. */
  readonly change: "one more required property" | "fewer of everything";
  readonly size?: number;
  readonly seconds?: number;
  /** The reported rules with their classes. */
  readonly rules: readonly string[];
}

const asked = "one more required property";
const fewer = "fewer of everything";
const required = ["input-property-became-required: breaking"];

/** Shapes that took more than 8 seconds or failed when the algorithm was quadratic. */
const SHAPES: readonly Shape[] = [
  { name: "one enum of many strings", change: asked, rules: required },
  { name: "one enum of many strings", change: fewer, size: 200, rules: ["input-enum-value-removed: breaking"] },
  { name: "many properties", change: asked, size: 2_000, rules: required },
  { name: "properties and pattern properties", change: fewer, size: 250, rules: [] },
  { name: "definitions that refer to each other", change: fewer, rules: [] },
  { name: "an exclusive union of kinds", change: fewer, rules: ["input-union-branch-removed: breaking"] },
  { name: "an exclusive union of references", change: fewer, rules: ["input-union-branch-removed: breaking"] },
  { name: "many required properties", change: asked, rules: required },
  // It meets the limit of steps, at any size.
  { name: "dependent requirements", change: fewer, size: 250, seconds: 40, rules: [] },
  { name: "an exclusive union of patterns", change: fewer, size: 250, rules: [] },
  { name: "many pattern properties", change: asked, size: 1_000, rules: [] },
  // These took minutes or gigabytes until their searches had limits in steps.
  { name: "a pattern of optional characters", change: fewer, size: 10_000, rules: [] },
  { name: "a pattern of many parts", change: fewer, size: 180, rules: [] },
  { name: "conditions on different properties", change: fewer, size: 30, rules: [] },
  { name: "lists of lists of long texts", change: fewer, size: 1, rules: [] },
]; // prettier-ignore

describe.skipIf(process.platform === "win32")("schemas that grow", () => {
  let dir: string;

  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), "diff-growth-"));
  });

  afterAll(() => {
    rmSync(dir, { recursive: true, force: true });
  });

  it.each(SHAPES)(
    "$name: $change",
    { timeout: PATIENCE + 10_000 },
    ({ name, change, size = SIZE, seconds = SECONDS, rules }) => {
      const make = GROWING_SCHEMAS[name];
      if (make === undefined) throw new Error(`No shape is named "${name}".`);
      const before = make(size);
      const after = change === asked ? requireOneMore(before) : make(Math.floor(size * 0.99) - 1);
      const files = [before, after].map((schema, index) => {
        const path = join(dir, `${index}.json`);
        writeFileSync(path, JSON.stringify({ tools: [{ name: "grow", inputSchema: schema }] }));
        return path;
      });
      // Ended by the parent process, so that an endless run fails only its own test.
      const { status, signal, stdout } = spawnSync(
        "sh",
        [
          ...["-c", `ulimit -t ${seconds}; exec "$0" "$@"`, process.execPath],
          ...[`--max-old-space-size=${MEGABYTES}`, BIN, "diff", ...files, "--json", "--fail-on", "never"],
        ],
        { cwd: dir, encoding: "utf8", timeout: PATIENCE, killSignal: "SIGKILL", maxBuffer: 1e9 },
      );
      expect({ status, signal }).toEqual({ status: 0, signal: null });
      const found = rulesOf(JSON.parse(stdout) as JsonObject);
      expect(found).not.toEqual([]);
      if (rules.length > 0) expect(found).toEqual(rules);
    },
  );
});

describe("schemas that are nested too deeply", () => {
  const nested = Object.keys(GROWING_SCHEMAS).filter((name) => name.startsWith("nested "));

  it.each(nested.flatMap((name) => [300, 3_000].map((size) => ({ name, size }))))(
    "$name: $size levels are compared, or rejected with the name of a limit",
    ({ name, size }) => {
      const make = GROWING_SCHEMAS[name] ?? (() => ({}));
      const [change] = diffTools(
        [{ name: "grow", inputSchema: make(size) }],
        [{ name: "grow", inputSchema: requireOneMore(make(size)) }],
      );
      expect([change?.rule, change?.class, change?.reason]).toEqual([
        "input-schema-changed",
        "unknown",
        "The new schema cannot be compared: The schema is nested more than 256 levels deep.",
      ]);
    },
  );
});

function requireOneMore(schema: JsonObject): JsonObject {
  const names = schema["required"];
  return { ...schema, required: [...(Array.isArray(names) ? (names as readonly JsonValue[]) : []), "asked"] };
}

function rulesOf(document: JsonObject): readonly string[] {
  const changes = withSections(document)["changes"] as readonly {
    readonly rule: string;
    readonly class: string;
  }[];
  return [...new Set(changes.map((change) => `${change.rule}: ${change.class}`))];
}
