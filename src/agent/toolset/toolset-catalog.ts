import { byCodeUnit } from "../../core/json.js";
import { editDistance } from "../../core/words/words.js";
import { decide, type PolicyReason } from "../policy/decide.js";
import { type Policy, narrowPolicy } from "../policy/policy.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import type { ToolSearchOptions } from "../search/create-tool-search.js";
import { createToolNames, type NameLookup, lookUpAgain } from "../registry/tool-names.js";
import type { ToolReader } from "../registry/registry.js";
import { createToolFinder, type ToolFinder } from "./find-tools.js";

/** The result of looking up a name under a policy. */
export type Resolution =
  | { readonly kind: "tool"; readonly tool: RegisteredTool }
  /** A focus mode or a role hides the tool. */
  | { readonly kind: "hidden"; readonly reason: PolicyReason }
  | { readonly kind: "several"; readonly names: readonly string[] }
  | { readonly kind: "none"; readonly nearest: readonly string[] };

/** The current tools under a policy. */
export interface ToolCatalog extends ToolFinder, NameLookup {
  /** Looks up a name from a model. Hidden tools do not make the names of other tools ambiguous. */
  resolve(name: string): Promise<Resolution>;
}

function createToolCatalog(
  tools: readonly RegisteredTool[],
  options: ToolSearchOptions & { readonly policy: Policy },
): ToolCatalog {
  const finder = createToolFinder(tools, options);
  const names = createToolNames(tools);
  return {
    ...finder,
    // The same with any number of servers, so that a new one renames nothing.
    nameOf: ({ name }) => name,
    resolve: async (name) => {
      const found = names.find(name).map((tool) => judge(tool, options.policy));
      const shown = found.filter((one) => one.kind === "tool");
      const [only] = shown;
      if (shown.length > 1) return { kind: "several", names: shown.map(({ tool }) => tool.name) };
      return (
        only ??
        found[0] ?? {
          kind: "none",
          nearest: await nearestNames(name, finder, { nameOf: (tool) => tool.name }),
        }
      );
    },
  };
}

/** Looks up a name. If it is unknown, lists its servers again and looks it up once more. */
export async function resolveName(name: string, view: PolicyView, source: ToolReader): Promise<Resolution> {
  const found = await (await view.open()).resolve(name);
  if (found.kind !== "none") return found;
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
/** Longer names are cut before the comparison. */
const LONGEST_NAME = 100;

/**
 * Returns the names of visible tools that are most similar to an unknown name: first those that differ in few letters, then those
 * that a search for its words finds.
 */
export async function nearestNames(
  name: string,
  finder: ToolFinder,
  names: NameLookup,
): Promise<readonly string[]> {
  const asked = normalize(name);
  const most = Math.max(1, Math.floor(asked.length / 4));
  const near = finder.visible
    .flatMap((tool) => {
      const shown = names.nameOf(tool);
      const distance = Math.min(
        ...[shown, tool.name].map((known) => editDistance(asked, normalize(known), most)),
      );
      return distance > most ? [] : [{ shown, distance }];
    })
    .sort((a, b) => a.distance - b.distance || byCodeUnit(a.shown, b.shown))
    .map(({ shown }) => shown);
  const { hits } = await finder.find({ query: name.slice(0, LONGEST_NAME), limit: MOST_NAMES });
  return [...new Set([...near, ...hits.map(({ tool }) => names.nameOf(tool))])].slice(0, MOST_NAMES);
}

/** Makes `Create-Post` and `create_post` equal. */
function normalize(name: string): string {
  return name
    .slice(0, LONGEST_NAME)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** The tools of a source under a policy. */
export interface PolicyView {
  readonly policy: Policy;
  /** Returns the catalog of the current tools. Equal lists share a catalog. */
  readonly open: () => Promise<ToolCatalog>;
}

interface Listable {
  getTools(): Promise<readonly RegisteredTool[]>;
}

/** The tools of a source under a policy, and under the same policy with additional roles. */
export class PolicyViews {
  readonly #source: Listable;
  readonly #searchOptions: ToolSearchOptions;
  readonly #views = new Map<string, PolicyView>();
  #policy: Policy;

  constructor(
    source: Listable,
    { policy, ...searchOptions }: ToolSearchOptions & { readonly policy: Policy },
  ) {
    this.#source = source;
    this.#searchOptions = searchOptions;
    this.#policy = policy;
  }

  /** @throws McpCodegenError `CONFIG_INVALID` for an unknown role */
  under(roles: readonly string[] = []): PolicyView {
    const different = [...new Set(roles)].sort();
    const key = JSON.stringify(different);
    const known = this.#views.get(key);
    if (known !== undefined) return known;
    const policy = different.reduce(narrowPolicy, this.#policy);
    const view = { policy, open: this.#openOnce(policy) };
    this.#views.set(key, view);
    return view;
  }

  /** @throws McpCodegenError `CONFIG_INVALID` for an unknown role */
  narrow(role: string): void {
    this.#policy = narrowPolicy(this.#policy, role);
    this.#views.clear();
  }

  /** Creates a catalog for each different list of the source. */
  #openOnce(policy: Policy): () => Promise<ToolCatalog> {
    let made: { readonly of: readonly RegisteredTool[]; readonly catalog: ToolCatalog } | undefined;
    return async () => {
      const tools = await this.#source.getTools();
      if (made?.of !== tools)
        made = { of: tools, catalog: createToolCatalog(tools, { ...this.#searchOptions, policy }) };
      return made.catalog;
    };
  }
}
