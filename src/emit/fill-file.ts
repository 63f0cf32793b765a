import type { ImportExtension } from "../config/config.js";
import { describeTool } from "../core/snapshot.js";
import { dropUnusedDefinitions } from "../core/show-schema.js";
import type { Deprecation } from "../core/ability.js";
import { isJsonObject } from "../core/json.js";
import { isModelName } from "../core/tool-name.js";
import { escapeComment, quoteKey, quoteLiteral } from "../schema/print/identifiers.js";
import { printToolSchemas } from "../schema/print/print-modules.js";
import { fillPrompts, fillResources } from "./fill-entries.js";
import { braces, code, importServer, literal, PrintedCode, printDocComment, property } from "./print-code.js";
import type {
  AbilityCall,
  IndexTask,
  RenderTask,
  SchemasTask,
  ServerIndexTask,
  ServerTask,
  ToolTask,
  RenderedFile,
} from "./render-task.js";
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
      return fixed(fillServer(task));
    case "server-index":
      return fixed(fillServerIndex(task));
    case "index":
      return fixed(fillIndex(task));
    default:
      return task satisfies never;
  }
}

function fixed({ text }: PrintedCode): RenderedFile {
  return { text, diagnostics: [] };
}

/** Makes tsc skip the body of a module, for the user's type check. */
const WITHOUT_CHECK = code`// @ts-nocheck -- checked when it was generated, so your compiler need not do it again\n`;

function fillTool(task: ToolTask): RenderedFile {
  const { server, definition, names, through, hasEnvironments } = task;
  const schemas = toolSchemasOf(task);
  const { text, checks, diagnostics } = printToolSchemas(schemas);
  const { title, description, annotations, visibility } = describeTool(definition);
  const extension = extensionOf(task.importExtension);
  const isText = names.output === undefined && hasEnvironments;
  // The runtime reads an empty list of WordPress as an object.
  const dialect = task.dialect === "wordpress" ? task.dialect : undefined;
  const module = code`${WITHOUT_CHECK}import * as z from "zod";
import ${braces([
    "defineTool",
    through && "throughAbility",
    code`type Tool`,
    isText && code`type ToolContent`,
    ...checks.map((check) => new PrintedCode(check)),
  ])} from "mcp-codegen/codegen";
import { ${names.wrapper} as inputSchema } from "./schemas${extension}";
${importServer(hasEnvironments, extension)}

${new PrintedCode(text)}

${new PrintedCode(commentOf(task))}
export const ${names.wrapper}: ${new PrintedCode(typeOfTool(task))} = /* @__PURE__ */ defineTool({
  server,
${[
  property("name", definition.name),
  property("title", title),
  property("description", description),
  property("category", task.category),
  property("annotations", annotations),
  property("visibility", visibility),
  property("observed", task.output?.observed),
  property("defaults", task.defaults),
  property("dialect", dialect),
]}${through && callThrough(through)}  input: ${names.input},
${names.output !== undefined && code`  output: ${names.output},\n`}  inputSchema,
});
`;
  return {
    text: module.text,
    diagnostics: [...diagnostics, ...diagnoseLostDefaults(task, schemas)].map((diagnostic) => ({
      ...diagnostic,
      server,
      tool: definition.name,
    })),
  };
}

function callThrough({ ability, wrapped }: AbilityCall): PrintedCode {
  return code`  through: () =>
    throughAbility(
      ${literal(ability)},
${wrapped.length > 0 && code`      ${literal(wrapped)},\n`}    ),
`;
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

function fillSchemas({ tools, definitions }: SchemasTask): PrintedCode {
  const schemas = definitions
    .map(inputSchemaOf)
    .map((schema) => JSON.stringify(isJsonObject(schema) ? dropUnusedDefinitions(schema) : schema));
  return code`\n${tools.map(({ wrapper }, at) => code`\nexport const ${wrapper} = ${literal(schemas[at] ?? "")};\n`)}`;
}

function fillServer({ server, contract, settings, environments }: ServerTask): PrintedCode {
  return code`import { defineServer, type ServerDefinition } from "mcp-codegen/runtime";

/* An error here: Zod is missing or too old. The modules of tools, which import it, are not checked. */
export type { ZodExactOptional } from "zod";

${environments && declareEnvironments(environments)}
export const server: ServerDefinition = /* @__PURE__ */ defineServer(${literal({ name: server, contract, ...settings })});
`;
}

function declareNotListed(notListed: NonNullable<ServerIndexTask["notListed"]>): PrintedCode {
  const members = Object.entries(notListed).map(([view, wrappers]) => {
    const names = wrappers.map((wrapper) => quoteLiteral(wrapper)).join(" | ");
    return `readonly ${quoteKey(view)}: ${names === "" ? "never" : names};`;
  });
  return code`/** The tools that each variant does not list, by their names in code; \`default\` is the server's own settings. */
export interface NotListed { ${new PrintedCode(members.join(" "))} }
`;
}

function declareEnvironments(names: readonly string[]): PrintedCode {
  return code`/** The environments that the server is configured with. */
export type Environment = ${new PrintedCode(names.map((name) => quoteLiteral(name)).join(" | "))};
`;
}

function typeOfTool({ names, hasEnvironments }: ToolTask): string {
  if (hasEnvironments) return `Tool<${names.input}, ${names.output ?? "ToolContent"}, Environment>`;
  return `Tool<${[names.input, names.output ?? []].flat().join(", ")}>`;
}

function fillServerIndex(task: ServerIndexTask): PrintedCode {
  const {
    server,
    tools,
    readOnly,
    forApps = [],
    hasEnvironments,
    hasPrompts,
    hasResources,
    notListed,
  } = task;
  const writing = tools.filter(({ wrapper }) => !readOnly.includes(wrapper));
  const changes = writing.map(({ tool, wrapper }) => `${wrapper}: ${quoteLiteral(tool)};`);
  const recorded = `RecordedCallsOf<${quoteLiteral(server)}, Tools, { ${changes.join(" ")} }>`;
  const extension = extensionOf(task.importExtension);
  const members = tools.map(
    ({ file, wrapper }) => `Pick<typeof import("./${file}${extension.text}"), ${quoteLiteral(wrapper)}>`,
  );
  const modules = [hasPrompts && "prompts", hasResources && "resources"].filter((name) => name !== undefined);
  const named = tools.filter(({ tool, wrapper }) => !forApps.includes(wrapper) && isModelName(tool));
  const toolNames = named.map(({ tool, wrapper }) => `readonly ${wrapper}: ${quoteLiteral(tool)};`);
  const ofModules = modules.map((module) => `readonly ${module}: typeof ${module}`).join("; ");
  const connected = `Tools & Connection<ToolNames>${modules.length === 0 ? "" : ` & { ${ofModules} }`}`;
  const options = hasEnvironments ? "CallOptions<Environment>" : "CallOptions";
  const toolsType = members.length === 0 ? "{}" : `ToolsOf<${members.join(" & ")}>`;
  const wrappers = tools.map(({ wrapper }) => wrapper);
  const connect =
    notListed === undefined
      ? `connect(options?: ${options}): ${connected}`
      : `connect<View extends keyof NotListed = "default">(options?: ${options} & { readonly variant?: View }): Omit<${connected}, NotListed[View]>`;
  return code`${WITHOUT_CHECK}import ${braces([
    "connectTools",
    changes.length > 0 && code`type RecordedCallsOf`,
    tools.length > 0 && code`type ToolsOf`,
  ])} from "mcp-codegen/codegen";
import type { CallOptions, Connection } from "mcp-codegen/runtime";
${tools.map(
  ({ file, wrapper, input, output }) =>
    code`import ${braces([input, output, wrapper])} from "./${file}${extension}";\n`,
)}${modules.map((module) => code`import * as ${module} from "./${module}${extension}";\n`)}${importServer(hasEnvironments, extension)}

export ${braces([
    "server",
    hasEnvironments && code`type Environment`,
    ...tools.map(({ input }) => input),
    ...tools.map(({ output }) => output),
    ...wrappers,
  ])};

${modules.map((module) => code`export { ${module} };\n`)}
export type Tools = ${new PrintedCode(toolsType)};

/** The server's names of the tools that models are offered, by their names in code. */
export interface ToolNames { ${new PrintedCode(toolNames.join(" "))} }

/** A call of a tool that is not read-only, as a tracker records it. */
export type RecordedCalls = ${new PrintedCode(changes.length === 0 ? "never" : recorded)};

${notListed && declareNotListed(notListed)}

/** Every tool of "${new PrintedCode(escapeComment(server))}" on one connection, opened by the first call. */
export function ${new PrintedCode(connect)} {
  return connectTools(
    server,
    ${braces(wrappers)},
    options,
${modules.length > 0 && code`    ${braces(modules)},\n`}  );
}
`;
}

function fillIndex({ servers, importExtension }: IndexTask): PrintedCode {
  if (servers.length === 0) return code`export {};\n`;
  const extension = extensionOf(importExtension);
  return code`${servers.map(({ namespace, folder }) => code`export * as ${namespace} from "./${folder}/index${extension}";\n`)}`;
}

function extensionOf(extension: ImportExtension): PrintedCode {
  return new PrintedCode(extension === "none" ? "" : `.${extension}`);
}
