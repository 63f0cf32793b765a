import { omitUndefined } from "../core/collections.js";
import { describeTool } from "../core/snapshot.js";
import {
  getOwn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOrEmpty,
  findText,
} from "../core/json.js";
import { parseUriTemplate } from "./plan-entries.js";
import { quoteKey } from "../schema/print/identifiers.js";
import { braces, code, importServer, PrintedCode, printDocComment, property } from "./print-code.js";
import type { PlannedEntry, PromptsTask, ResourcesTask } from "./render-task.js";

/** Returns the module of a server's prompts. */
export function fillPrompts({ prompts, hasEnvironments }: PromptsTask, extension: PrintedCode): PrintedCode {
  const entries = prompts.map((prompt) => ({ ...prompt, parameters: promptArguments(prompt.definition) }));
  return code`import { definePrompt } from "mcp-codegen/codegen";
import type { Prompt } from "mcp-codegen/runtime";
${importServer(hasEnvironments, extension)}

${declareArguments(entries)}

${entries.map((entry) => defineEntry("Prompt", "name", entry, hasEnvironments))}`;
}

/** Returns the module of a server's resources and templates. */
export function fillResources(
  { resources, templates, hasEnvironments }: ResourcesTask,
  extension: PrintedCode,
): PrintedCode {
  const entries = templates.map((template) => ({ ...template, parameters: variablesOf(template.names.id) }));
  const hasResources = resources.length > 0;
  const hasTemplates = templates.length > 0;
  return code`import ${braces([hasResources && "defineResource", hasTemplates && "defineResourceTemplate"])} from "mcp-codegen/codegen";
import type ${braces([hasResources && "Resource", hasTemplates && "ResourceTemplate"])} from "mcp-codegen/runtime";
${importServer(hasEnvironments, extension)}

${declareArguments(entries)}

${resources.map((entry) => defineEntry("Resource", "uri", entry, hasEnvironments))}
${entries.map((entry) => defineEntry("ResourceTemplate", "uriTemplate", entry, hasEnvironments))}`;
}

/** @param key the property with what identifies the entry */
function defineEntry(
  type: "Prompt" | "Resource" | "ResourceTemplate",
  key: string,
  entry: PlannedEntry & Partial<EntryWithArguments>,
  hasEnvironments: true | undefined,
): PrintedCode {
  const { names, definition, parameters } = entry;
  const { title, description } = describeTool(definition);
  const mimeType = type === "Prompt" ? undefined : findText(definition, "mimeType");
  const place = `\`${names.id}\`${mimeType === undefined ? "" : ` (${mimeType})`}`;
  const paragraphs = [...paragraphsOf(title, description), ...(type === "Prompt" ? [] : [place])];
  const args = parameters?.length === 0 ? "Record<string, never>" : names.arguments;
  const types = [parameters && args, hasEnvironments && "Environment"].filter((name) => name !== undefined);
  const ofTypes = types.length === 0 ? "" : `<${types.join(", ")}>`;
  return code`
${new PrintedCode(printDocComment(paragraphs))}
export const ${names.wrapper}: ${type}${new PrintedCode(ofTypes)} = /* @__PURE__ */ ${`define${type}`}({
  server,
${[
  property(key, names.id),
  property("title", title),
  property("description", description),
  property("mimeType", mimeType),
  property("arguments", parameters && toLiteral(parameters)),
]}});
`;
}

/** An argument of a prompt, or a variable of a template. */
interface Argument {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isList: boolean;
  readonly texts: readonly string[];
}

interface EntryWithArguments extends PlannedEntry {
  readonly parameters: readonly Argument[];
}

/** Returns the arguments that a prompt lists, without those that are not valid or repeat a name. */
function promptArguments(definition: JsonObject): readonly Argument[] {
  const byName = new Map<string, Argument>();
  for (const item of listOrEmpty(getOwn(definition, "arguments"))) {
    const name = findText(item, "name");
    if (!isJsonObject(item) || name === undefined || byName.has(name)) continue;
    const { title, description } = describeTool(item);
    const isRequired = getOwn(item, "required") === true;
    byName.set(name, { name, isRequired, isList: false, texts: paragraphsOf(title, description) });
  }
  return [...byName.values()];
}

function variablesOf(uriTemplate: string): readonly Argument[] {
  const parsed = parseUriTemplate(uriTemplate);
  if ("fault" in parsed) throw new Error(`The plan has the template "${uriTemplate}": ${parsed.fault}.`);
  return parsed.map(({ name, isOptional, isList }) => ({
    name,
    isRequired: !isOptional,
    isList,
    texts: [],
  }));
}

function declareArguments(entries: readonly EntryWithArguments[]): PrintedCode {
  const declarations = entries
    .filter(({ parameters }) => parameters.length > 0)
    .map(({ names, parameters }) => {
      const members = parameters.map(({ name, isRequired, isList, texts }) => {
        const type = isList ? "string | readonly string[]" : "string";
        const comment = printDocComment(texts);
        const member = `${quoteKey(name)}${isRequired ? "" : "?"}: ${type}${isRequired ? "" : " | undefined"};`;
        return comment === "" ? member : `${comment}\n${member}`;
      });
      return `export interface ${names.arguments} {\n${members.join("\n")}\n}`;
    });
  return new PrintedCode(declarations.join("\n\n"));
}

function toLiteral(parameters: readonly Argument[]): JsonValue {
  return parameters.map(({ name, isRequired, isList }) =>
    omitUndefined({ name, isRequired: isRequired || undefined, isList: isList || undefined }),
  );
}

/** The title if it adds to the start of the description, then the description. */
function paragraphsOf(title: string | undefined, description: string | undefined): readonly string[] {
  const paragraphs = description?.startsWith(title ?? "") === true ? [description] : [title, description];
  return paragraphs.filter((text) => text !== undefined);
}
