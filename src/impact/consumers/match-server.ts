import { type ConsumedServer, type ConsumedTool, digestOfSchemas } from "../../core/consumer.js";
import type { ServerSnapshot, ToolSnapshot } from "../../core/snapshot.js";

/** A server of the provider before and after changes. One is absent where the server is new or was removed. */
export interface ProvidedServer {
  readonly server: string;
  readonly before?: ServerSnapshot | undefined;
  readonly after?: ServerSnapshot | undefined;
  /** Definitions of earlier locks, as {@link keyOfDefinition}. */
  readonly former?: ReadonlySet<string> | undefined;
}

export function keyOfDefinition(tool: string, schemas: string): string {
  return JSON.stringify([tool, schemas]);
}

/** The tools of a provided server, by name. */
export interface ProvidedTools {
  readonly before: ReadonlyMap<string, ToolSnapshot>;
  readonly after: ReadonlyMap<string, ToolSnapshot>;
  /** Names of tools by the name of their ability. */
  readonly byAbility: ReadonlyMap<string, string>;
}

export function providedTools({ before, after }: ProvidedServer): ProvidedTools {
  const byName = (snapshot: ServerSnapshot | undefined): ReadonlyMap<string, ToolSnapshot> =>
    new Map((snapshot?.tools ?? []).map((tool) => [tool.name, tool]));
  const abilities = [after, before].flatMap((snapshot) => Object.entries(snapshot?.abilities ?? {}));
  return {
    before: byName(before),
    after: byName(after),
    byAbility: new Map(abilities.map(([tool, { definition }]) => [definition.name, tool])),
  };
}

/** The name that the provider gives to a consumed tool: the tool of the same ability, or else of the same name. */
export function providedNameOf(
  name: string,
  { ability }: ConsumedTool,
  tools: ProvidedTools,
): string | undefined {
  const own = ability === undefined ? undefined : tools.byAbility.get(ability);
  if (own !== undefined) return own;
  return tools.before.has(name) || tools.after.has(name) ? name : undefined;
}

/**
 * How well a consumed server fits a provided one: by an ability that both have, by a tool with the same schemas, now or in an
 * earlier lock, by the name that the server gives itself, or by the name in both configurations. 0 if it does not fit.
 */
export function fitOf(
  name: string,
  { serverName, tools: consumed }: ConsumedServer,
  provided: ProvidedServer,
  tools: ProvidedTools,
): number {
  const entries = Object.entries(consumed);
  if (entries.some(([, { ability }]) => ability !== undefined && tools.byAbility.has(ability))) return 4;
  const isSame = ([tool, { schemas }]: readonly [string, ConsumedTool]): boolean =>
    provided.former?.has(keyOfDefinition(tool, schemas)) === true ||
    [tools.before, tools.after].some((side) => {
      const definition = side.get(tool);
      return definition !== undefined && digestOfSchemas(definition) === schemas;
    });
  const named = [provided.before, provided.after].flatMap(
    (snapshot) => snapshot?.identity.serverInfo["name"] ?? [],
  );
  const isNamed = serverName !== undefined && named.includes(serverName);
  const hasCommon = entries.some(([tool, use]) => providedNameOf(tool, use, tools) !== undefined);
  if (isNamed && hasCommon) return 3;
  if (entries.some(isSame)) return 2;
  return name === provided.server ? 1 : 0;
}

/** The consumer's tools that the provider does not have. */
export function missingTools(
  { tools: consumed }: ConsumedServer,
  tools: ProvidedTools,
): readonly (readonly [string, ConsumedTool])[] {
  return Object.entries(consumed).filter(([name, use]) => providedNameOf(name, use, tools) === undefined);
}
