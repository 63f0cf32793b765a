import type { JsonObject, JsonValue } from "../../contract/json.js";
import { describeUnlisted } from "../adapters/system-prompt.js";
import type { ServerState } from "../registry/registry.js";
import { describeHit, type WantedTools, findUnknownFilter } from "./find-tools.js";
import { answerWith, answerWithError } from "./toolset-answer.js";
import type { ToolCatalog } from "./toolset-catalog.js";
import { toolsetError, type MetaNames } from "./toolset-error.js";
import type { ToolsetAnswer } from "./toolset.js";

/** Longer queries are cut, and not repeated in the answer. */
const LONGEST_QUERY = 1_000;

interface SearchSurroundings {
  readonly meta: MetaNames;
  /** The servers as they were last asked. */
  readonly servers: () => readonly ServerState[] | undefined;
  readonly onWarning: (message: string) => void;
}

/** Answers `search_tools`. */
export async function searchTools(
  catalog: ToolCatalog,
  args: JsonObject,
  { meta, servers, onWarning }: SearchSurroundings,
): Promise<ToolsetAnswer> {
  const wanted = readWanted(args);
  const { query, category, server } = wanted;
  if ([query, category, server].every((one) => one === undefined)) {
    const suggestion = `Set "query" to what you want to do, or "category" to one listed by ${meta.introspect}.`;
    const issues = [{ path: "query", message: "Missing query or category" }];
    return answerWithError(
      toolsetError("VALIDATION_ERROR", "Missing query or category.", suggestion, {
        issues,
        schema: { type: "object", properties: { query: { type: "string" }, category: { type: "string" } } },
      }),
    );
  }
  const unknown = findUnknownFilter(
    wanted,
    catalog.visible,
    servers()?.map(({ name }) => name),
  );
  if (unknown !== undefined) {
    const suggestion = [unknown.suggestion, ...describeUnlisted(servers())].join(" ");
    const issues = [{ path: unknown.key, message: unknown.message }];
    return answerWithError(toolsetError("VALIDATION_ERROR", unknown.message, suggestion, { issues }));
  }
  const { hits, total, next, warning } = await catalog.find(wanted);
  if (warning !== undefined) onWarning(warning);
  const page = { total, ...(next !== undefined && { next }) };
  // Without a query nothing says which tools matter, so a model gets the names of all of them.
  if (query === undefined && total > 0) return answerWith({ names: hits.map(({ tool }) => catalog.nameOf(tool)), ...page }); // prettier-ignore
  const tools = hits.map((hit) => describeHit(hit, catalog));
  const advice = `Try other words, or a category listed by ${meta.introspect}.`;
  const suggestion = [advice, ...describeUnlisted(servers())].join(" ");
  return answerWith({ tools, ...page, query: query ?? "", ...(total === 0 && { suggestion }) });
}

/** What is empty is not asked for. */
function readWanted({ query, category, server, limit, offset }: JsonObject): WantedTools {
  const [words, group, where] = [query, category, server].map(readText);
  return {
    ...(words !== undefined && { query: words.slice(0, LONGEST_QUERY) }),
    ...(group !== undefined && { category: group }),
    ...(where !== undefined && { server: where }),
    ...(typeof limit === "number" && { limit }),
    ...(typeof offset === "number" && { offset }),
  };
}

function readText(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
