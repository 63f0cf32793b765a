import { McpCodegenError } from "../../core/errors.js";
import { warn } from "../../runtime/events.js";
import { isTool, type AnyTool } from "../../runtime/tool.js";
import { fitsName } from "../policy/decide.js";
import { bindOptions } from "./server-tools.js";
import { registerTool, type RegisteredTool } from "./registered-tool.js";
import type { RegistryOptions } from "./registry.js";
import { environmentOf } from "./server-source.js";
import type { ServerToolCache } from "./server-tool-cache.js";

interface IndexSources {
  readonly options: RegistryOptions;
  readonly environment: string | undefined;
  readonly statics: ReadonlyMap<string, AnyTool>;
  readonly slots: ReadonlyMap<string, ServerToolCache>;
}

interface IndexedTools {
  readonly byName: ReadonlyMap<string, RegisteredTool>;
  readonly list: readonly RegisteredTool[];
}

/** The tools of a registry by name: static ones first, which hide others of the same name, then those of its servers. */
export class ToolIndex {
  readonly #sources: IndexSources;
  readonly #shadowed = new Set<string>();
  #indexed: IndexedTools | undefined;

  constructor(sources: IndexSources) {
    this.#sources = sources;
  }

  get byName(): ReadonlyMap<string, RegisteredTool> {
    return this.#open().byName;
  }

  /** Returns the same list until something changes. */
  get list(): readonly RegisteredTool[] {
    return this.#open().list;
  }

  /** Causes the sources to be read again at the next use. */
  clear(): void {
    this.#indexed = undefined;
  }

  /** Sets the category that the options give a tool. */
  readonly categorize = (tool: RegisteredTool): RegisteredTool => {
    const { categories = {} } = this.#sources.options;
    const found = Object.entries(categories).find(([pattern]) => fitsName(tool, pattern));
    return found === undefined ? tool : { ...tool, category: found[1] };
  };

  /** @throws McpCodegenError `CONFIG_INVALID` for a value that is not a tool */
  registerStatic(tool: AnyTool): RegisteredTool {
    if (!isTool(tool) || tool.definition.name === "") {
      throw new McpCodegenError(
        "CONFIG_INVALID",
        '"static" of a registry contains a value that is not a tool.',
        { hint: "Make one with defineStaticTool({ name, input, execute })." },
      );
    }
    const { options, environment: own } = this.#sources;
    const { name, server } = tool.definition;
    const environment = server === undefined ? own : environmentOf(server, own);
    return registerTool(tool, name, undefined, bindOptions(environment, options));
  }

  #open(): IndexedTools {
    if (this.#indexed !== undefined) return this.#indexed;
    const { statics, slots } = this.#sources;
    const byName = new Map<string, RegisteredTool>();
    for (const [name, tool] of statics) byName.set(name, this.categorize(this.registerStatic(tool)));
    for (const slot of slots.values()) {
      for (const tool of slot.tools) {
        if (byName.has(tool.name)) this.#warnOfShadow(tool.name, slot.server);
        else byName.set(tool.name, this.categorize(tool));
      }
    }
    this.#indexed = { byName, list: Object.freeze([...byName.values()]) };
    return this.#indexed;
  }

  #warnOfShadow(name: string, server: string): void {
    if (this.#shadowed.has(name)) return;
    this.#shadowed.add(name);
    const message = `Static tool ${JSON.stringify(name)} hides the tool of the same name of server "${server}".`;
    warn(message, this.#sources.options.onWarning);
  }
}
