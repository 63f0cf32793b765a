/** Checks that the real command line finds every drift of the server `drifted`. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Change } from "../../src/core/change.js";
import { runCommand, runJson } from "../cli/run-command.js";
import { complaints } from "../report/schemas.js";
import { fixtureCommand } from "../servers/start-fixture.js";

const bin = fileURLToPath(new URL("../../bin/mcp-codegen.js", import.meta.url));
const shop = { ...fixtureCommand("drifted"), env: { DRIFT: "${DRIFT:-none}" } };

/** The expected result of a check: all findings as `rule: class`, and the exit code. */
type Want = readonly [findings: readonly string[], exitCode: 0 | 1];

const NOTHING: Want = [[], 0];
const breaking = (rule: string): Want => [[`${rule}: breaking`], 1];
const dangerous = (rule: string): Want => [[`${rule}: dangerous`], 1];
const safe = (rule: string): Want => [[`${rule}: safe`], 1];
/** A finding that is reported but is not drift. */
const told = (rule: string): Want => [[`${rule}: safe`], 0];

const trust = (rule: string, severity: "breaking" | "dangerous"): Want => [
  [`${rule}: ${severity}, security`],
  1,
];
/** The change of the text, and the security finding in it. */
const poison = (rule: string, place: string): Want => [[place, `${rule}: dangerous, security`], 1];

/** The expected results, by the names of drifts in `test/servers/drifted.js`. `test/drift/rules.test.ts` has all rules of schemas. */
const DRIFTS: Readonly<Record<string, Want>> = {
  none: NOTHING,
  reordered: NOTHING,
  "defaults-written-out": NOTHING,
  "open-written-out": NOTHING,
  "defined-apart": NOTHING,
  "empty-lists-for-objects": NOTHING,
  "version-changed": told("server-version-changed"),
  "tool-added": safe("tool-added"),
  "tool-removed": breaking("tool-removed"),
  "tool-renamed": breaking("tool-renamed"),
  "tool-description-changed": dangerous("tool-description-changed"),
  "tool-title-changed": dangerous("tool-title-changed"),
  "icons-changed": safe("icons-changed"),
  "meta-changed": safe("meta-changed"),
  "definition-changed": dangerous("definition-changed"),
  "task-support-added": safe("task-support-added"),
  "task-support-changed": breaking("task-support-changed"),
  "annotation-readonly-lost": trust("annotation-readonly-lost", "breaking"),
  "annotation-readonly-gained": trust("annotation-readonly-gained", "dangerous"),
  "annotation-destructive-lost": trust("annotation-destructive-lost", "dangerous"),
  "annotation-idempotent-gained": safe("annotation-idempotent-gained"),
  "annotation-openworld-lost": safe("annotation-openworld-lost"),
  "input-required-property-added": breaking("input-required-property-added"),
  "input-optional-property-added": safe("input-optional-property-added"),
  "input-property-removed": breaking("input-property-removed"),
  "input-property-renamed": breaking("input-property-renamed"),
  "input-property-became-required": breaking("input-property-became-required"),
  "input-type-changed": breaking("input-type-changed"),
  "input-enum-value-removed": breaking("input-enum-value-removed"),
  "input-enum-value-added": safe("input-enum-value-added"),
  "input-default-changed": dangerous("input-default-changed"),
  "input-bound-tightened": breaking("input-bound-tightened"),
  "input-bound-loosened": safe("input-bound-loosened"),
  "input-additional-properties-closed": dangerous("input-additional-properties-closed"),
  "input-constraint-added": breaking("input-constraint-added"),
  "input-description-changed": dangerous("input-description-changed"),
  "output-schema-added": safe("output-schema-added"),
  "output-schema-removed": breaking("output-schema-removed"),
  "output-property-removed": breaking("output-property-removed"),
  "output-optional-property-added": safe("output-optional-property-added"),
  "output-type-changed": breaking("output-type-changed"),
  "output-additional-properties-closed": safe("output-additional-properties-closed"),
  // Both dialects are proved to mean the same for this schema.
  "schema-dialect-changed": safe("schema-dialect-changed"),
  "schema-ref-external": [["schema-ref-external: breaking, security", "input-schema-changed: unknown"], 1],
  "schema-ref-unresolved": [
    ["schema-ref-unresolved: breaking", "input-type-widened: safe", "input-bound-loosened: safe"],
    1,
  ],
  "server-name-changed": breaking("server-name-changed"),
  "server-info-changed": safe("server-info-changed"),
  "server-instructions-changed": dangerous("server-instructions-changed"),
  "server-capability-added": safe("server-capability-added"),
  "server-protocol-changed": told("server-protocol-changed"),
  "poison-hidden-unicode": poison("poison-hidden-unicode", "tool-description-changed: dangerous"),
  "poison-bidi": poison("poison-bidi", "input-description-added: dangerous"),
  "poison-tag-characters": poison("poison-tag-characters", "tool-title-changed: dangerous"),
  "poison-ansi": poison("poison-ansi", "input-default-added: dangerous"),
  "poison-html-comment": poison("poison-html-comment", "tool-description-changed: dangerous"),
  "poison-instruction": poison("poison-instruction", "tool-description-changed: dangerous"),
  "poison-secret-parameter": poison("poison-secret-parameter", "input-optional-property-added: safe"),
  "no-tools": [["tool-removed: breaking", "tool-removed: breaking"], 1],
};

/** Locked drift, current drift and expected result: reverse changes, and drifts from another start. */
const FROM: readonly (readonly [locked: string, now: string, want: Want])[] = [
  ["output-schema-added", "none", breaking("output-schema-removed")],
  ["annotation-destructive-lost", "none", trust("annotation-destructive-gained", "breaking")],
  ["annotation-idempotent-gained", "none", trust("annotation-idempotent-lost", "dangerous")],
  ["annotation-openworld-lost", "none", trust("annotation-openworld-gained", "dangerous")],
  ["input-additional-properties-closed", "none", safe("input-additional-properties-opened")],
  ["input-constraint-added", "none", safe("input-constraint-removed")],
  ["output-property-removed", "none", safe("output-required-property-added")],
  ["output-additional-properties-closed", "none", dangerous("output-additional-properties-opened")],
  ["server-capability-added", "none", breaking("server-capability-removed")],
];

const KEPT = "server-version-kept";

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mcp-codegen-drifts-"));
  await writeFile(join(dir, "mcp-codegen.config.json"), JSON.stringify({ servers: { shop } }));
});

afterAll(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));

async function lock(drift: string): Promise<void> {
  // Start without a lock, since a pull over an existing lock would have to accept security findings.
  await rm(join(dir, "mcp-codegen.lock.json"), { force: true });
  const { exitCode, stderr } = await runCommand(["pull"], { cwd: dir, env: { DRIFT: drift } });
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
}

/**
 * Returns the result of `check` in the form of {@link Want}. The finding that the server kept its version is omitted,
 * since it accompanies every change that is not safe.
 */
async function check(drift: string): Promise<Want> {
  const { exitCode, document, stdout } = await runJson(["check"], { cwd: dir, env: { DRIFT: drift } });
  expect(complaints(JSON.parse(stdout))).toEqual([]);
  expect(document).toMatchObject({ exitCode, unverified: [], files: [] });
  const changes = document["changes"] as readonly Change[];
  const isWorse = changes.some(
    ({ tool, class: kind, impacts }) =>
      tool !== undefined && kind !== "safe" && impacts.some((impact) => impact !== "model"),
  );
  expect(changes.filter(({ rule }) => rule === KEPT)).toHaveLength(isWorse ? 1 : 0);
  const others = changes.filter(({ rule }) => rule !== KEPT);
  const findings = others.map((change) => [
    `${change.rule}: ${change.class}`,
    ...(change.security ? ["security"] : []),
  ]);
  return [findings.map((words) => words.join(", ")).sort(), exitCode === 0 ? 0 : 1];
}

describe("a server that drifts", () => {
  beforeAll(() => lock("none"));

  it("has at least forty drifts, all of them in this table", async () => {
    const { stderr } = await promisify(execFile)(shop.command, [...shop.args, "--drift", "?"]).catch(
      (error: unknown) => error as { readonly stderr: string },
    );
    const names = /^Error: --drift is one of: (.*)$/m.exec(stderr)?.[1]?.split(", ") ?? [];
    expect(names).toEqual(Object.keys(DRIFTS));
    expect(names.length).toBeGreaterThan(40);
  });

  it.each(Object.entries(DRIFTS))("%s", async (drift, want) => {
    const [found, exitCode] = want;
    expect(await check(drift)).toEqual([[...found].sort(), exitCode]);
  });

  it.each([
    ["tool-removed", "breaking", 1],
    ["input-bound-loosened", "breaking", 0],
    ["input-bound-loosened", "any", 1],
    ["definition-changed", "dangerous", 1],
    ["annotation-readonly-gained", "breaking", 1],
    ["annotation-readonly-gained", "never", 0],
  ])("%s with --fail-on %s exits %i in the real program", async (drift, failOn, exitCode) => {
    const env = { ...process.env, CI: "", DRIFT: drift };
    const run = promisify(execFile)(process.execPath, [bin, "check", "--fail-on", failOn], { cwd: dir, env });
    const ended = await run.then(
      ({ stdout }) => ({ code: 0, stdout }),
      (error: unknown) => error as { readonly code: number; readonly stdout: string },
    );
    expect(ended.code).toBe(exitCode);
    expect(ended.stdout).toContain(drift);
  });
});

describe("a server that drifts further", () => {
  it.each(FROM)("from %s to %s", async (locked, now, want) => {
    await lock(locked);
    expect(await check(now)).toEqual(want);
  });
});
