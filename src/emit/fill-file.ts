import { omitUndefined } from "../core/collections.js";
import type { ImportExtension } from "../config/config.js";
import { describeTool } from "../core/snapshot.js";
import { dropUnusedDefinitions } from "../core/show-schema.js";
import type { Deprecation } from "../core/ability.js";
import { isJsonObject } from "../core/json.js";
import { isModelName } from "../core/tool-name.js";
import { escapeComment, quoteKey, quoteLiteral } from "../schema/print/identifiers.js";
import { printToolSchemas } from "../schema/print/print-modules.js";
import { fillPrompts, fillResources } from "./fill-entries.js";
import { fillTemplate, PrintedCode, printDocComment } from "./fill-template.js";
import type {
  IndexTask,
  RenderTask,
  SchemasTask,
  ServerIndexTask,
  ToolTask,
  RenderedFile,
} from "./render-task.js";
import {
  INDEX_TEMPLATE,
  SCHEMAS_TEMPLATE,
  SERVER_INDEX_TEMPLATE,
  SERVER_TEMPLATE,
  TOOL_TEMPLATE,
} from "./template-pieces.js";
import { diagnoseLostDefaults, inputSchemaOf, toolSchemasOf } from "./tool-schemas.js";

/** Returns the module of a task before formatting, and the diagnostics of its schemas. */
export function fillFile(task: RenderTask): RenderedFile {
  switch (task.kind) {
    case "tool":
      return fillTool(task);
    case "prompts":
      return fixed(fillPrompts(task, extensionOf(task.importExtension)));
    case "resources":
      return fixed(fillResources(task, extensionOf(task.importExtension)));
    case "schemas":
      return fixed(fillSchemas(task));
    case "server":
      return fixed(
        fillTemplate(SERVER_TEMPLATE, {
          settings: { name: task.server, contract: task.contract, ...task.settings },
          environments: task.environments && new PrintedCode(declareEnvironments(task.environments)),
        }),
      );
    case "server-index":
      return fixed(withoutCheck(fillServerIndex(task)));
    case "index":
      return fixed(fillIndex(task));
    default:
      return task satisfies never;
  }
}

function fixed(text: string): RenderedFile {
  return { text, diagnostics: [] };
}

/** Makes tsc skip the body of a module, for the user's type check. Not part of a template, since these are checked. */
function withoutCheck(text: string): string {
  return `// @ts-nocheck -- checked when it was generated, so your compiler need not do it again\n${text}`;
}

function fillTool(task: ToolTask): RenderedFile {
  const { server, definition, names } = task;
  const schemas = toolSchemasOf(task);
  const { text, checks, diagnostics } = printToolSchemas(schemas);
  const { title, description, annotations, visibility } = describeTool(definition);
  const values = {
    title,
    description,
    annotations,
    visibility,
    observed: task.output?.observed,
    name: definition.name,
    category: task.category,
    defaults: task.defaults,
    // The runtime reads an empty list of WordPress as an object.
    dialect: task.dialect === "wordpress" ? task.dialect : undefined,
    ability: task.through?.ability,
    wrapped:
      task.through === undefined || task.through.wrapped.length === 0 ? undefined : task.through.wrapped,
    comment: new PrintedCode(commentOf(task)),
    declarations: new PrintedCode(text),
    checks: checks.map((check) => ({ check: new PrintedCode(check) })),
    tool: names.wrapper,
    Input: names.input,
    Output: names.output,
    Callable: new PrintedCode(typeOfTool(task)),
    hasEnvironments: task.hasEnvironments,
    isText: names.output === undefined ? task.hasEnvironments : undefined,
    extension: new PrintedCode(extensionOf(task.importExtension)),
  };
  return {
    text: withoutCheck(fillTemplate(TOOL_TEMPLATE, values)),
    diagnostics: [...diagnostics, ...diagnoseLostDefaults(task, schemas)].map((diagnostic) => ({
      ...diagnostic,
      server,
      tool: definition.name,
    })),
  };
}

/** The title if it adds to the name and to the start of the description, the description, and what else is known. */
function commentOf({ definition, deprecation, output, variants, names }: ToolTask): string {
  const { title, description } = describeTool(definition);
  const isKnown = isTitleOf(title ?? "", names.wrapper) || description?.startsWith(title ?? "") === true;
  return printDocComment(
    [
      isKnown ? undefined : title,
      description && shortenComment(description),
      variants,
      output?.observed && describeObserved(output.observed),
    ].filter((text) => typeof text === "string"),
    deprecation && describeDeprecation(deprecation),
  );
}

/** Whether a title has the letters of a name, as "List posts" of `listPosts`: an editor shows the name too. */
function isTitleOf(title: string, name: string): boolean {
  return title.replaceAll(/[\s_-]/g, "").toLowerCase() === name.toLowerCase();
}

/** An editor shows a comment beside the code; `description`, a few lines below, has the whole text. */
const LONGEST_COMMENT = 700;
/** A longer text ends before a space. */
const START = /^[^]{1,600}(?=\s)/;

function shortenComment(text: string): string {
  const start = text.length > LONGEST_COMMENT ? START.exec(text)?.[0] : undefined;
  if (start === undefined) return text;
  const kept = `${start.trimEnd()} …`;
  // An open block of code would hide the rest of the comment.
  return kept.split("```").length % 2 === 0 ? `${kept}\n\`\`\`` : kept;
}

function describeObserved(answers: number): string {
  return `The server declares no output schema: the type of the answer is observed, from ${answers} ${answers === 1 ? "answer" : "answers"}.`;
}

function describeDeprecation({ since, replacement, message }: Deprecation): string {
  const facts = [since && `Since ${since}.`, replacement && `Use ${replacement}.`, message];
  return facts.filter((fact) => fact !== undefined).join(" ");
}

function fillSchemas({ tools, definitions }: SchemasTask): string {
  return fillTemplate(SCHEMAS_TEMPLATE, {
    tools: tools.map(({ wrapper }, at) => {
      const inputSchema = inputSchemaOf(definitions[at] ?? {});
      return {
        tool: wrapper,
        inputSchema: JSON.stringify(
          isJsonObject(inputSchema) ? dropUnusedDefinitions(inputSchema) : inputSchema,
        ),
      };
    }),
  });
}

function declareNotListed(notListed: NonNullable<ServerIndexTask["notListed"]>): string {
  const members = Object.entries(notListed).map(([view, wrappers]) => {
    const names = wrappers.map((wrapper) => quoteLiteral(wrapper)).join(" | ");
    return `readonly ${quoteKey(view)}: ${names === "" ? "never" : names};`;
  });
  return `export interface NotListed { ${members.join(" ")} }`;
}

function declareEnvironments(names: readonly string[]): string {
  return `export type Environment = ${names.map((name) => quoteLiteral(name)).join(" | ")};`;
}

function typeOfTool({ names, hasEnvironments }: ToolTask): string {
  if (hasEnvironments) return `Tool<${names.input}, ${names.output ?? "ToolContent"}, Environment>`;
  return `Tool<${[names.input, names.output ?? []].flat().join(", ")}>`;
}

function fillServerIndex(task: ServerIndexTask): string {
  const {
    server,
    tools,
    readOnly,
    forApps = [],
    hasEnvironments,
    hasPrompts,
    hasResources,
    notListed,
    importExtension,
  } = task;
  const writing = tools.filter(({ wrapper }) => !readOnly.includes(wrapper));
  const changes = writing.map(({ tool, wrapper }) => `${wrapper}: ${quoteLiteral(tool)};`);
  const recorded = `RecordedCallsOf<${quoteLiteral(server)}, Tools, { ${changes.join(" ")} }>`;
  const extension = extensionOf(importExtension);
  const members = tools.map(
    ({ file, wrapper }) => `Pick<typeof import("./${file}${extension}"), ${quoteLiteral(wrapper)}>`,
  );
  const modules = [...(hasPrompts ? ["prompts"] : []), ...(hasResources ? ["resources"] : [])].map(
    (module) => `readonly ${module}: typeof ${module}`,
  );
  const named = tools.filter(({ tool, wrapper }) => !forApps.includes(wrapper) && isModelName(tool));
  const toolNames = named.map(({ tool, wrapper }) => `readonly ${wrapper}: ${quoteLiteral(tool)};`);
  const connected = `Tools & Connection<ToolNames>${modules.length === 0 ? "" : ` & { ${modules.join("; ")} }`}`;
  const options = hasEnvironments ? "CallOptions<Environment>" : "CallOptions";
  return fillTemplate(SERVER_INDEX_TEMPLATE, {
    server: new PrintedCode(escapeComment(server)),
    toolsType: new PrintedCode(
      `export type Tools = ${members.length === 0 ? "{}" : `ToolsOf<${members.join(" & ")}>`};`,
    ),
    toolNames: new PrintedCode(`export interface ToolNames { ${toolNames.join(" ")} }`),
    changes: new PrintedCode(`export type RecordedCalls = ${changes.length === 0 ? "never" : recorded};`),
    hasTools: tools.length === 0 ? undefined : true,
    hasChanges: changes.length === 0 ? undefined : true,
    hasEnvironments,
    hasPrompts,
    hasResources,
    hasModules: hasPrompts ?? hasResources,
    hasVariants: notListed && true,
    notListed: notListed && new PrintedCode(declareNotListed(notListed)),
    connect: new PrintedCode(
      notListed === undefined ? "connect" : 'connect<View extends keyof NotListed = "default">',
    ),
    Connected: new PrintedCode(notListed === undefined ? connected : `Omit<${connected}, NotListed[View]>`),
    Options: new PrintedCode(`${options}${notListed === undefined ? "" : " & { readonly variant?: View }"}`),
    tools: tools.map(({ file, wrapper, input, output }) =>
      omitUndefined({ file, tool: wrapper, Input: input, Output: output }),
    ),
    outputs: tools.flatMap(({ output }) => (output === undefined ? [] : [{ Output: output }])),
    extension: new PrintedCode(extension),
  });
}

function fillIndex({ servers, importExtension }: IndexTask): string {
  return fillTemplate(INDEX_TEMPLATE, {
    servers: servers.map(({ namespace, folder }) => ({ server: namespace, folder })),
    isEmpty: servers.length === 0 ? true : undefined,
    extension: new PrintedCode(extensionOf(importExtension)),
  });
}

function extensionOf(extension: ImportExtension): string {
  return extension === "none" ? "" : `.${extension}`;
}
