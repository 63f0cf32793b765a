import { byCodeUnit } from "../../core/json.js";
import { isVerbInName } from "../../core/words/verbs.js";
import { editDistance } from "../../core/nearest-name.js";
import { splitWords } from "../../core/words/words.js";
import { decide, type PolicyReason } from "../../core/decide.js";
import { addRole, type Policy } from "../../core/policy.js";
import type { RegisteredTool } from "../../core/tool.js";
import { createToolSearch, type Embedder, type ToolSearchOptions } from "../search/create-tool-search.js";
import { stem } from "../search/stem.js";
import { ownNameOf } from "../../core/tool-name.js";
import { createToolNames, LONGEST_NAME, lookUpAgain, nameForModels } from "../registry/tool-names.js";
import { warnOfUnmatched } from "../registry/restrict-view.js";
import type { ToolView } from "../registry/registry.js";
import { explainEmbedder, findTools, type FoundTools, type WantedTools } from "./find-tools.js";

/** The result of looking up a name under a policy. */
export type Resolution =
  | { readonly kind: "tool"; readonly tool: RegisteredTool }
  /** A focus mode or a role hides the tool. */
  | { readonly kind: "hidden"; readonly reason: PolicyReason }
  | { readonly kind: "several"; readonly names: readonly string[] }
  | { readonly kind: "none"; readonly nearest: readonly string[] };

/** The current tools under a policy. */
export interface ToolCatalog {
  /** All tools, also hidden ones. */
  readonly tools: readonly RegisteredTool[];
  /** The tools that the policy shows, in the order given. */
  readonly visible: readonly RegisteredTool[];
  /** Finds visible tools, by words only if the embedder fails. */
  find(wanted: WantedTools): Promise<FoundTools>;
  /** The visible tools by registered name, in the order of the source. */
  readonly byName: ReadonlyMap<string, RegisteredTool>;
  /** Returns a tool's name for `execute`. */
  readonly nameOf: (tool: RegisteredTool) => string;
  /** Returns a tool's name for models that call it directly, which every provider accepts. */
  readonly modelNameOf: (tool: RegisteredTool) => string;
  /** Looks up a name from a model. Hidden tools do not make the names of other tools ambiguous. */
  resolve(name: string): Promise<Resolution>;
}

/** Shared by all toolsets and sessions of a source, since an index of many tools is expensive. */
const catalogs = new WeakMap<
  readonly RegisteredTool[],
  readonly { readonly key: string; readonly embedder: Embedder | undefined; readonly catalog: ToolCatalog }[]
>();
/** The maximum number of catalogs of one list, under different policies. */
const MOST_KEPT = 16;

interface CatalogOptions extends ToolSearchOptions {
  readonly policy: Policy;
  /** Those that may have tools. */
  readonly servers?: readonly string[] | undefined;
}

/** Returns the same catalog for the same list and equal options. */
export function openCatalog(tools: readonly RegisteredTool[], options: CatalogOptions): ToolCatalog {
  const { policy, embedder, servers = [] } = options;
  const key = JSON.stringify([servers, policy]);
  const entries = catalogs.get(tools) ?? [];
  const match = entries.find((entry) => entry.key === key && entry.embedder === embedder);
  if (match !== undefined) return match.catalog;
  const catalog = createToolCatalog(tools, options);
  catalogs.set(tools, [{ key, embedder, catalog }, ...entries].slice(0, MOST_KEPT));
  return catalog;
}

function createToolCatalog(
  tools: readonly RegisteredTool[],
  { servers, policy, ...searchOptions }: CatalogOptions,
): ToolCatalog {
  const visible = tools.filter((tool) => decide(tool, policy).isVisible);
  const search = createToolSearch(visible, searchOptions);
  const byWords = createToolSearch(visible);
  const names = createToolNames(tools, servers);
  let forModels: ReadonlyMap<RegisteredTool, string> | undefined;
  const catalog: ToolCatalog = {
    tools,
    visible,
    find: async (wanted) => {
      try {
        return await findTools(visible, wanted, search);
      } catch (error) {
        return { ...(await findTools(visible, wanted, byWords)), warning: explainEmbedder(error) };
      }
    },
    byName: new Map(visible.map((tool) => [tool.name, tool])),
    // Named before the policy applies, so that names do not depend on hidden tools.
    nameOf: names.nameOf,
    modelNameOf: (tool) => {
      forModels ??= new Map([...nameForModels(tools, names)].map(([name, each]) => [each, name]));
      return forModels.get(tool) ?? tool.name;
    },
    resolve: async (name) => {
      const resolutions = names.find(name).map((tool) => judge(tool, policy));
      const shown = resolutions.filter((resolution) => resolution.kind === "tool");
      if (shown.length > 1) return { kind: "several", names: shown.map(({ tool }) => tool.name) };
      const [only = resolutions[0]] = shown;
      return only ?? { kind: "none", nearest: await nearestNames(name, catalog, names.nameOf) };
    },
  };
  return catalog;
}

/** Looks up a name. If it is unknown, lists its servers again and looks it up once more. */
export async function resolveName(name: string, view: PolicyView, source: ToolView): Promise<Resolution> {
  const resolution = await (await view.open()).resolve(name);
  if (resolution.kind !== "none") return resolution;
  await lookUpAgain(source, name);
  return (await view.open()).resolve(name);
}

/** Returns the result of looking up a tool: whether the policy shows it. */
export function judge(
  tool: RegisteredTool,
  policy: Policy,
): Extract<Resolution, { readonly kind: "tool" | "hidden" }> {
  const { isVisible, reasons } = decide(tool, policy);
  const [reason] = reasons;
  return isVisible || reason === undefined ? { kind: "tool", tool } : { kind: "hidden", reason };
}

const MOST_NAMES = 5;

/**
 * Returns the names of visible tools that are most similar to an unknown name: first those that differ in few letters, then those
 * that a search for its words finds, if they share one that is not a verb.
 */
export async function nearestNames(
  name: string,
  catalog: ToolCatalog,
  nameOf: (tool: RegisteredTool) => string,
): Promise<readonly string[]> {
  const asked = normalize(name);
  const most = Math.max(1, Math.floor(asked.length / 4));
  const near = catalog.visible
    .flatMap((tool) => {
      const shown = nameOf(tool);
      const distance = Math.min(
        ...[shown, tool.name, ownNameOf(tool)].map((candidate) =>
          editDistance(asked, normalize(candidate), most),
        ),
      );
      return distance > most ? [] : [{ shown, distance }];
    })
    .sort((a, b) => a.distance - b.distance || byCodeUnit(a.shown, b.shown))
    .map(({ shown }) => shown);
  const { hits } = await catalog.find({ query: name.slice(0, LONGEST_NAME), limit: MOST_NAMES });
  const nouns = nounsOf(name);
  const about = hits.filter(
    ({ tool, fit }) => fit !== "far" && nounsOf(ownNameOf(tool)).some((word) => nouns.includes(word)),
  );
  return [...new Set([...near, ...about.map(({ tool }) => nameOf(tool))])].slice(0, MOST_NAMES);
}

function nounsOf(name: string): readonly string[] {
  const words = splitWords(name.slice(0, LONGEST_NAME));
  return words.filter((word) => !isVerbInName(word)).map(stem);
}

/** Makes `Create-Post` and `create_post` equal. */
function normalize(name: string): string {
  return name
    .slice(0, LONGEST_NAME)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

export interface PolicyView {
  readonly policy: Policy;
  /** Returns the catalog of the current tools. Equal lists share a catalog. */
  readonly open: () => Promise<ToolCatalog>;
}

interface PolicyViewOptions extends Omit<CatalogOptions, "servers"> {
  /** Reports each message once. */
  readonly warn: (message: string) => void;
  /** Leaves tools out. The same list is returned if all stay, since catalogs are cached by it. */
  readonly keep?: ((tools: readonly RegisteredTool[]) => readonly RegisteredTool[]) | undefined;
}

/** Returns the tools of a source under a policy with additional roles. Throws `CONFIG_INVALID` for an unknown role. */
export function policyView(
  source: Pick<ToolView, "getTools" | "servers" | "isPartial">,
  { policy: rules, embedder, warn, keep = (tools) => tools }: PolicyViewOptions,
  roles: readonly string[] = [],
): PolicyView {
  const policy = [...new Set(roles)].sort().reduce(addRole, rules);
  return {
    policy,
    open: async () => {
      const tools = keep(await source.getTools());
      warnOfUnmatched(tools, source, { policy, warn });
      const servers = source.servers.map(({ name }) => name);
      return openCatalog(tools, { policy, embedder, servers });
    },
  };
}
