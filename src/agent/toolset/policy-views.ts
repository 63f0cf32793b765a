import { narrowPolicy, type Policy } from "../policy/policy.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import type { ToolSearchOptions } from "../search/create-tool-search.js";
import { createToolCatalog, type ToolCatalog } from "./toolset-catalog.js";
import type { ToolProvider } from "../registry/registry.js";

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
