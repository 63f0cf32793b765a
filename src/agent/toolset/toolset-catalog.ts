import { byCodeUnit } from "../../contract/json.js";
import { editDistance } from "../../vocabulary/edit-distance.js";
import { decide, type PolicyReason } from "../policy/decide.js";
import { type Policy, narrowPolicy } from "../policy/policy.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import type { ToolSearchOptions } from "../search/create-tool-search.js";
import { createToolNames, type ToolNames, lookUpAgain } from "../registry/tool-names.js";
import type { ToolProvider } from "../registry/registry.js";
import { createToolFinder, type ToolFinder } from "./find-tools.js";

/** What a name stands for under a policy. */
export type Resolution =
  | { readonly kind: "tool"; readonly tool: RegisteredTool }
  /** A tool that a focus mode or a role hides. */
  | { readonly kind: "hidden"; readonly reason: PolicyReason }
  | { readonly kind: "several"; readonly names: readonly string[] }
  | { readonly kind: "none"; readonly nearest: readonly string[] };

/** The tools of one moment as a policy shows them. */
export interface ToolCatalog extends ToolFinder, Pick<ToolNames, "nameOf"> {
  /** Resolves a name as a model wrote it. Hidden tools neither block other tools nor appear in an answer. */
  resolve(name: string): Promise<Resolution>;
}

/** Tools by name, by words and by category, under a policy. */
function createToolCatalog(
  tools: readonly RegisteredTool[],
  options: ToolSearchOptions & { readonly policy: Policy },
): ToolCatalog {
  const finder = createToolFinder(tools, options);
  const names = createToolNames(tools);
  return {
    ...finder,
    nameOf: (tool) => names.nameOf(tool),
    resolve: async (name) => {
      const meant = names.find(name).map((tool) => judge(tool, options.policy));
      const shown = meant.filter((one) => one.kind === "tool");
      const [only] = shown;
      if (shown.length > 1) return { kind: "several", names: shown.map(({ tool }) => names.nameOf(tool)) };
      return only ?? meant[0] ?? { kind: "none", nearest: await nearestNames(name, finder, names) };
    },
  };
}

/** Resolves a name, once more after its servers were asked again if it stands for nothing. */
export async function resolveName(
  name: string,
  view: Pick<PolicyView, "open">,
  source: Pick<ToolProvider, "getTool" | "servers">,
): Promise<Resolution> {
  const found = await (await view.open()).resolve(name);
  if (found.kind !== "none") return found;
  await lookUpAgain(source, name);
  return (await view.open()).resolve(name);
}

/** Whether a policy shows a tool, as the answer to its name. */
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
 * The names that somebody may have meant who asked for a tool that is not there: those that differ in few letters, then
 * those that have most to do with its words. None that the policy hides.
 */
export async function nearestNames(
  name: string,
  finder: ToolFinder,
  names: Pick<ToolNames, "nameOf">,
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

/** As it is compared: `Create-Post` is `create_post`. */
function normalize(name: string): string {
  return name
    .slice(0, LONGEST_NAME)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** The tools of a source as a policy shows them. */
export interface PolicyView {
  readonly policy: Policy;
  /** The tools of now; the same list gives the same catalog. */
  readonly open: () => Promise<ToolCatalog>;
}

/** The tools of a source under a policy, and under the same policy with more roles. */
export class PolicyViews {
  readonly #source: Pick<ToolProvider, "getTools">;
  readonly #searchOptions: ToolSearchOptions;
  readonly #views = new Map<string, PolicyView>();
  #policy: Policy;

  constructor(
    source: Pick<ToolProvider, "getTools">,
    { policy, ...searchOptions }: ToolSearchOptions & { readonly policy: Policy },
  ) {
    this.#source = source;
    this.#searchOptions = searchOptions;
    this.#policy = policy;
  }

  /**
   * The view under these roles as well.
   *
   * @throws McpCodegenError `CONFIG_INVALID` for a role that is not there
   */
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

  /** @throws McpCodegenError `CONFIG_INVALID` for a role that is not there */
  narrow(role: string): void {
    this.#policy = narrowPolicy(this.#policy, role);
    this.#views.clear();
  }

  /** Makes a catalog, and another one when the source has another list. */
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
