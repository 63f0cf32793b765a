import type { Change } from "../../core/change.js";
import type { ConsumerVerdict, Unverified } from "../../core/diagnostic.js";
import {
  type ConsumedServer,
  type ConsumedTool,
  digestOfSchemas,
  type KnownConsumer,
} from "../../core/consumer.js";
import { findOwn, getOwn, isJsonArray, type JsonValue } from "../../core/json.js";
import { findAt } from "../../core/json-pointer.js";
import type { ToolSnapshot } from "../../core/snapshot.js";
import { targetOf } from "../changes.js";
import {
  type ConsumerOutcome,
  type JudgedSchemas,
  judgeInput,
  quoteShort,
  sentenceOf,
} from "./judge-input.js";
import { judgeOutput } from "./judge-output.js";
import {
  fitOf,
  providedNameOf,
  type ProvidedServer,
  type ProvidedTools,
  providedTools,
  SchemaPaths,
} from "./schema-paths.js";

interface ConsumersRequest {
  readonly changes: readonly Change[];
  readonly servers: readonly ProvidedServer[];
  readonly consumers: readonly KnownConsumer[];
  /** Whether the provider may have other servers, which were not compared. */
  readonly isPartial?: boolean | undefined;
  /** Whether an earlier lock had a tool with these schemas; by default, no. */
  readonly isEarlier?: ((server: string, tool: string, schemas: string) => boolean) | undefined;
  /** The server that had a tool with these schemas in an earlier lock, for consumers that fit none of the servers. */
  readonly findFormer?: ((tool: string, schemas: string) => string | undefined) | undefined;
}

export interface JudgedConsumers {
  /** The changes in order. Those that can break a consumer have the verdict for each consumer of their server. */
  readonly changes: readonly Change[];
  /** Consumers that cannot be judged: too old for the lock, or of other servers. */
  readonly unverified: readonly Unverified[];
}

/** Judges the effect of changes on consumers, by the uses in their files. */
export function judgeConsumers(request: ConsumersRequest): JudgedConsumers {
  const { consumers, servers } = request;
  const provided = provide(servers);
  const unverified: Unverified[] = [];
  const strangers: ConsumerVerdict[] = [];
  const matches = consumers.flatMap((known) => {
    const found = matchServers(known, provided, request.isEarlier);
    if (found.length > 0 || request.isPartial === true) return found;
    const { consumer } = known.consumer;
    unverified.push({
      server: servers.map(({ server }) => server).join(", "),
      ...describeStranger(known, request),
      file: known.file,
    });
    strangers.push({ consumer, effect: "may-break", says: "its file fits none of these servers" });
    return [];
  });
  for (const match of matches) unverified.push(...findOutdated(match));
  const pairs = new Map<string, JudgedSchemas>();
  return {
    changes: request.changes.map((change) => {
      if (!isJudged(change)) return change;
      const judged = matches
        .filter(({ provider }) => provider.server === change.server)
        .map((match) => judgeFor(change, match, pairs));
      const verdicts = change.class === "safe" ? judged : [...judged, ...strangers];
      const isUnaffected = change.class === "safe" && verdicts.every(({ effect }) => effect === "none");
      return isUnaffected ? change : { ...change, consumers: verdicts };
    }),
    unverified,
  };
}

function provide(servers: readonly ProvidedServer[]): readonly Provided[] {
  return servers.map((server) => ({ server, tools: providedTools(server) }));
}

interface ConsumedDefinition {
  readonly tool: string;
  readonly schemas: string;
}

/** A tool whose schemas in a consumer's file are neither those before nor those after the changes. */
export interface UnknownDefinition extends ConsumedDefinition {
  readonly server: string;
  /** The consumer, with this tool alone. */
  readonly use: KnownConsumer;
}

/** Returns the definitions in consumers' files that only an earlier lock can have, also of tools that were removed. */
export function findUnknownDefinitions(
  consumers: readonly KnownConsumer[],
  servers: readonly ProvidedServer[],
): readonly UnknownDefinition[] {
  const provided = provide(servers);
  return consumers
    .flatMap((known) => matchServers(known, provided))
    .flatMap((match) =>
      match.uses
        .filter(({ state }) => state === "outdated" || state === "missing")
        .map(({ name, tool, use }): UnknownDefinition => {
          const { server } = match.provider;
          return { server, tool, schemas: use.schemas, use: withTool(match, name, use) };
        }),
    );
}

function withTool({ known, consumed, provider }: Match, name: string, use: ConsumedTool): KnownConsumer {
  const servers = { [provider.server]: { ...consumed, tools: { [name]: use } } };
  return { ...known, consumer: { ...known.consumer, servers } };
}

/** Returns the definitions of consumers that fit no server: an earlier lock may have them. */
export function findStrangeDefinitions(
  consumers: readonly KnownConsumer[],
  servers: readonly ProvidedServer[],
): readonly ConsumedDefinition[] {
  const provided = provide(servers);
  return consumers
    .filter((known) => matchServers(known, provided).length === 0)
    .flatMap(({ consumer }) => Object.values(consumer.servers))
    .flatMap(({ tools }) => Object.entries(tools))
    .map(([tool, { schemas }]) => ({ tool, schemas }));
}

interface Provided {
  readonly server: ProvidedServer;
  readonly tools: ProvidedTools;
}

interface Match {
  readonly known: KnownConsumer;
  readonly consumed: ConsumedServer;
  readonly provider: ProvidedServer;
  readonly tools: ProvidedTools;
  readonly uses: readonly ToolUse[];
}

interface ToolUse {
  readonly name: string;
  readonly use: ConsumedTool;
  /** The name that the provider gives to it. */
  readonly tool: string;
  /** Which definition the file was written for. `missing`: one of a tool that the provider does not have. */
  readonly state: "before" | "after" | "earlier" | "outdated" | "missing";
}

/** The servers of a consumer, each with the provided servers that fit it best. */
function matchServers(
  known: KnownConsumer,
  provided: readonly Provided[],
  isEarlier?: ConsumersRequest["isEarlier"],
): readonly Match[] {
  return Object.entries(known.consumer.servers).flatMap(([name, consumed]) => {
    const fits = provided.map(({ server, tools }) => fitOf(name, consumed, server, tools));
    const best = Math.max(...fits);
    if (best <= 0) return [];
    return provided
      .filter((_, index) => fits[index] === best)
      .map(({ server, tools }): Match => {
        const uses = Object.entries(consumed.tools).map(([own, use]) =>
          readUse(own, use, { server, tools }, isEarlier),
        );
        return { known, consumed, provider: server, tools, uses };
      });
  });
}

function readUse(
  name: string,
  use: ConsumedTool,
  { server, tools }: Provided,
  isEarlier: ConsumersRequest["isEarlier"],
): ToolUse {
  const { schemas } = use;
  const provided = providedNameOf(name, use, tools);
  const tool = provided ?? name;
  const [before, after] = [tools.before, tools.after].map((side) => {
    const definition = side.get(tool);
    return definition && digestOfSchemas(definition);
  });
  if (schemas === before) return { name, use, tool, state: "before" };
  if (schemas === after) return { name, use, tool, state: "after" };
  if (isEarlier?.(server.server, tool, schemas) === true) return { name, use, tool, state: "earlier" };
  return { name, use, tool, state: provided === undefined ? "missing" : "outdated" };
}

/** Texts and additions concern no consumer. Changes of prompts, resources and the server are not in their files. */
function isJudged({ tool, class: how, impacts, path, rule }: Change): boolean {
  if (tool === undefined || rule === "tool-added") return false;
  if (how === "breaking" || how === "unknown" || impacts.includes("types")) return true;
  return how === "dangerous" && impacts.includes("wire") && /^\/(?:input|output)Schema/.test(path);
}

function judgeFor(change: Change, match: Match, pairs: Map<string, JudgedSchemas>): ConsumerVerdict {
  const { consumer } = match.known.consumer;
  const tool = quoteShort(change.tool ?? "");
  const used = match.uses.find((one) => one.tool === change.tool);
  if (used === undefined) return { consumer, effect: "none", says: `does not call ${tool}` };
  const { use, state } = used;
  if (state === "after")
    return { consumer, effect: "none", says: `uses the new definition of ${tool} already` };
  const outcome = judgeUse(change, use, match, pairs);
  const says = sentenceOf(outcome);
  if (outcome.effect === "none" && state === "outdated")
    return { consumer, effect: "may-break", says: `uses a definition of ${tool} that the lock never had` };
  if (outcome.effect === "none" && rejectsAnswers(change, match))
    return {
      consumer,
      effect: "until-pull",
      says: `${says}, but its validation rejects the new answers until it pulls`,
    };
  return { consumer, effect: outcome.effect, says };
}

function judgeUse(
  change: Change,
  use: ConsumedTool,
  { provider, tools }: Match,
  pairs: Map<string, JudgedSchemas>,
): ConsumerOutcome {
  const calls = use.calls.reduce((sum, { places }) => sum + places, 0);
  const says = calls > 0 ? `calls ${quoteShort(change.tool ?? "")}` : `uses ${quoteShort(change.tool ?? "")}`;
  const isGone = change.rule === "tool-removed" || change.rule === "tool-renamed";
  const target = targetOf(change);
  if (isGone || target === undefined) {
    const isHarmless = change.class === "safe" && use.reads.length === 0;
    return { effect: isGone ? "breaks" : isHarmless ? "none" : "may-break", says, places: calls };
  }
  const schema = target.side === "input" ? "inputSchema" : "outputSchema";
  const key = JSON.stringify([provider.server, change.tool, schema]);
  const [before, after] = [tools.before, tools.after].map(
    (side): JsonValue => getOwn(side.get(change.tool ?? "") ?? EMPTY, schema) ?? {},
  );
  const pair = pairs.get(key) ?? {
    before: before ?? {},
    after: after ?? {},
    beforePaths: new SchemaPaths(before ?? {}),
    afterPaths: new SchemaPaths(after ?? {}),
  };
  pairs.set(key, pair);
  return (target.side === "input" ? judgeInput : judgeOutput)(change, target, use, pair);
}

const EMPTY: ToolSnapshot = { name: "" };

/** Whether a consumer's validation rejects the new answers, although its code does not read what changed. */
function rejectsAnswers(change: Change, { consumed, tools }: Match): boolean {
  const target = targetOf(change);
  const isHarmless = change.class !== "breaking" && change.class !== "unknown";
  if (target?.side !== "output" || isHarmless) return false;
  if (consumed.answers !== "strict" && consumed.answers !== "tolerant") return false;
  const { property } = target;
  if (property === undefined || !/-property-(?:removed|renamed)$/.test(change.rule)) return true;
  // Without an optional property, an answer is still valid.
  const output = getOwn(tools.before.get(change.tool ?? "") ?? EMPTY, "outputSchema");
  const required = findOwn(output && findAt(output, property.parent), "required");
  return !isJsonArray(required) || required.includes(property.name);
}

function describeStranger(
  { file, consumer }: KnownConsumer,
  { findFormer }: ConsumersRequest,
): { readonly reason: string; readonly hint: string } {
  const tools = Object.values(consumer.servers).flatMap((server) => Object.entries(server.tools));
  const [former] = tools.flatMap(([tool, { schemas }]) => findFormer?.(tool, schemas) ?? []);
  const head = `"${file}" of consumer ${quoteShort(consumer.consumer)}`;
  if (former === undefined)
    return {
      reason: `${head} has no tool that these servers have or had.`,
      hint: "Remove the file, or name only files of this provider's consumers.",
    };
  return {
    reason: `${head} is for server ${quoteShort(former)} of an earlier lock, and none of these servers continues it.`,
    hint: `If the server has another key and name now, ask the consumer to run ${EXPORT_AGAIN}. Else remove the file.`,
  };
}

const EXPORT_AGAIN = '"npx mcp-codegen pull" and "npx mcp-codegen export"';

function findOutdated({ known, provider, uses }: Match): readonly Unverified[] {
  const namesOf = (state: ToolUse["state"]): readonly string[] =>
    uses.filter((use) => use.state === state).map(({ name }) => name);
  const [missing, outdated] = [namesOf("missing"), namesOf("outdated")];
  const reasons = [
    ...(missing.length > 0 ? [`uses ${list(missing)}, which the lock does not have`] : []),
    ...(outdated.length > 0 ? [`has a definition of ${list(outdated)} that the lock never had`] : []),
  ];
  if (reasons.length === 0) return [];
  return [
    {
      server: provider.server,
      reason: `Consumer ${quoteShort(known.consumer.consumer)} ("${known.file}") ${reasons.join(", and ")}.`,
      hint: `Ask the consumer to run ${EXPORT_AGAIN}.`,
      file: known.file,
    },
  ];
}

function list(names: readonly string[]): string {
  const rest = names.length - 5;
  return [...names.slice(0, 5).map(quoteShort), ...(rest > 0 ? [`${rest} other tools`] : [])].join(", ");
}
