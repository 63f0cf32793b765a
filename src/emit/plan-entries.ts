import type { EntriesConfig } from "../config/config.js";
import { hasCode } from "../config/match-tools.js";
import { omitUndefined } from "../core/collections.js";
import type { Diagnostic } from "../core/diagnostic.js";
import { joinPointer } from "../core/json-pointer.js";
import { byCodeUnit, getOwn, type JsonObject } from "../core/json.js";
import type { LockedEntries } from "../core/lockfile.js";
import { toCamelCase } from "../schema/print/identifiers.js";
import { describeCollisions, findRename, hashOf, isReserved, typeOf } from "./name-tools.js";
import type {
  ModuleSettings,
  PlannedEntry,
  PromptsTask,
  ResourcesTask,
  ToolCodeNames,
} from "./render-task.js";

type ModuleTask = PromptsTask | ResourcesTask;

interface EntriesPlan {
  /** The modules of prompts and of resources, where the server has any. */
  readonly tasks: readonly ModuleTask[];
  /** What the server's index needs to know. */
  readonly flags: { readonly hasPrompts?: true; readonly hasResources?: true };
  readonly collisions: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Plans the modules of prompts and resources. Throws `CONFIG_INVALID` for a `rename` that cannot be an export. */
export function planEntries(
  server: string,
  locked: LockedEntries,
  config: { readonly prompts?: EntriesConfig; readonly resources?: EntriesConfig },
  common: ModuleSettings,
): EntriesPlan {
  const collisions: string[] = [];
  const plan = (
    entries: readonly EntryDraft[],
    key: "prompts" | "resources",
    noun: string,
  ): readonly PlannedEntry[] => {
    const where = `servers.${server}.${key}.rename`;
    const planned = entries.map(({ id, name, definition }): PlannedEntry => {
      const wrapper = findRename(config[key]?.rename, id, { where, isTaken }) ?? wrapperOf(name, id);
      return { names: { id, wrapper, arguments: `${typeOf(wrapper)}Arguments` }, definition };
    });
    const claims = planned.map(({ names: { id, wrapper, arguments: type } }) => ({
      id,
      names: [wrapper, type],
    }));
    collisions.push(...describeCollisions(claims, { noun, rename: where }));
    return planned;
  };
  const prompts = plan(draft(locked.prompts, config.prompts), "prompts", "Prompts");
  const drafts = draft(locked.resourceTemplates, config.resources);
  const { usable, diagnostics } = readTemplates(server, drafts);
  const listed = draft(locked.resources, config.resources);
  const all = plan([...listed, ...usable], "resources", "Resources");
  const resources = all.slice(0, listed.length);
  const templates = all.slice(listed.length);
  const tasks: readonly ModuleTask[] = [
    ...(prompts.length === 0 ? [] : [{ kind: "prompts", server, prompts, ...common } as const]),
    ...(all.length === 0 ? [] : [{ kind: "resources", server, resources, templates, ...common } as const]),
  ];
  return {
    tasks,
    flags: omitUndefined({
      hasPrompts: prompts.length > 0 ? (true as const) : undefined,
      hasResources: all.length > 0 ? (true as const) : undefined,
    }),
    collisions,
    diagnostics,
  };
}

/** Returns one line for every tool that has the name of a module of prompts or resources. */
export function findModuleCollisions(
  server: string,
  tools: readonly ToolCodeNames[],
  tasks: readonly ModuleTask[],
): readonly string[] {
  return tasks.flatMap(({ kind }) =>
    tools
      .filter(({ file, wrapper }) => file === kind || wrapper === kind)
      .map(
        ({ tool }) =>
          `Tool ${JSON.stringify(tool)} becomes ${kind}, which has the ${kind} of the server. Set servers.${server}.tools.rename.`,
      ),
  );
}

interface EntryDraft {
  /** What identifies it: the name of a prompt, a URI or a URI template. */
  readonly id: string;
  /** What its wrapper is named after. */
  readonly name: string;
  readonly definition: JsonObject;
}

function draft(
  entries: { readonly [id: string]: { readonly definition: JsonObject } } = {},
  config: EntriesConfig | undefined,
): readonly EntryDraft[] {
  return Object.entries(entries)
    .filter(([id]) => hasCode(config, id))
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([id, { definition }]) => {
      const name = getOwn(definition, "name");
      return { id, name: typeof name === "string" ? name : id, definition };
    });
}

function readTemplates(
  server: string,
  templates: readonly EntryDraft[],
): { readonly usable: readonly EntryDraft[]; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const usable = templates.filter(({ id }) => {
    const parsed = parseUriTemplate(id);
    if (!("fault" in parsed)) return true;
    const message = `Resource template ${JSON.stringify(id)} gets no code: ${parsed.fault}.`;
    const path = joinPointer("", "resourceTemplates", id);
    diagnostics.push({ code: "ENTRY_UNUSABLE", server, tool: "", path, message });
    return false;
  });
  return { usable, diagnostics };
}

/** Names that the modules of prompts and resources import, besides those that no wrapper can have. */
const IMPORTS: ReadonlySet<string> = new Set([
  "definePrompt",
  "defineResource",
  "defineResourceTemplate",
  "Prompt",
  "Resource",
  "ResourceTemplate",
]);

function wrapperOf(name: string, id: string): string {
  const wrapper = toCamelCase(name);
  if (wrapper === "") return `_${hashOf(id)}`;
  return isTaken(wrapper) ? `${wrapper}_` : wrapper;
}

function isTaken(name: string): boolean {
  return isReserved(name) || IMPORTS.has(name);
}

interface TemplateVariable {
  readonly name: string;
  /** Whether the URI makes sense without it: it occurs only as a parameter, as in `{?page}` or `{&page}`. */
  readonly isOptional: boolean;
  /** Whether it may be a list: it has the modifier `*` everywhere. */
  readonly isList: boolean;
}

/** An expression: an operator, and what follows it. The operators `= , ! @ |` are reserved. */
const EXPRESSION = /^([+#./;?&]?)(.*)$/s;
const VARIABLE =
  /^((?:[A-Za-z\d_]|%[\dA-Fa-f]{2})(?:\.?(?:[A-Za-z\d_]|%[\dA-Fa-f]{2}))*)(\*|:[1-9]\d{0,3})?$/;
const LONGEST_VARIABLE = 200;
const MOST_VARIABLES = 100;

/**
 * Returns the variables of a URI template (RFC 6570, level 4) in the order of their first use, or the reason why it is not valid.
 * Literals are not checked: an expansion encodes what a URI must not contain.
 */
export function parseUriTemplate(template: string): readonly TemplateVariable[] | { readonly fault: string } {
  const variables = new Map<string, TemplateVariable>();
  // Between braces and outside them alternate, if the braces do.
  const parts = template.split(/([{}])/);
  for (let at = 1; at < parts.length; at += 4) {
    const expression = parts[at + 1] ?? "";
    if (parts[at] !== "{" || parts[at + 2] !== "}") return { fault: "its braces do not match" };
    const [, operator, list = ""] = EXPRESSION.exec(expression) ?? [];
    for (const text of list.split(",")) {
      const [, name, modifier] = (text.length <= LONGEST_VARIABLE && VARIABLE.exec(text)) || [];
      if (name === undefined) return { fault: `${quote(expression)} is not an expression` };
      const before = variables.get(name);
      variables.set(name, {
        name,
        isOptional: (operator === "?" || operator === "&") && before?.isOptional !== false,
        isList: modifier === "*" && before?.isList !== false,
      });
      if (variables.size > MOST_VARIABLES) return { fault: `it has more than ${MOST_VARIABLES} variables` };
    }
  }
  return [...variables.values()];
}

function quote(expression: string): string {
  return JSON.stringify(`{${expression.slice(0, 50)}}`);
}
