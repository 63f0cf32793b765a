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
import { fillTemplate, PrintedCode, printDocComment, type TemplateValues } from "./fill-template.js";
import type { PlannedEntry, PromptsTask, ResourcesTask } from "./render-task.js";
import { PROMPTS_TEMPLATE, RESOURCES_TEMPLATE } from "./template-pieces.js";

/** Returns the module of a server's prompts. */
export function fillPrompts({ prompts, hasEnvironments }: PromptsTask, extension: string): string {
  const entries = prompts.map((prompt) => ({ ...prompt, known: promptArguments(prompt.definition) }));
  return fillTemplate(PROMPTS_TEMPLATE, {
    declarations: new PrintedCode(declareArguments(entries)),
    prompts: entries.map((entry) => ({
      ...wordsOf(entry, []),
      prompt: entry.names.wrapper,
      Prompt: new PrintedCode(typeOf("Prompt", argumentsType(entry), hasEnvironments)),
      name: entry.names.id,
      arguments: toLiteral(entry.known),
    })),
    hasEnvironments,
    extension: new PrintedCode(extension),
  });
}

/** Returns the module of a server's resources and templates. */
export function fillResources(
  { resources, templates, hasEnvironments }: ResourcesTask,
  extension: string,
): string {
  const entries = templates.map((template) => ({ ...template, known: variablesOf(template.names.id) }));
  return fillTemplate(RESOURCES_TEMPLATE, {
    declarations: new PrintedCode(declareArguments(entries)),
    resources: resources.map((entry) => ({
      ...wordsOf(entry, [describePlace(entry)]),
      resource: entry.names.wrapper,
      Resource: new PrintedCode(typeOf("Resource", undefined, hasEnvironments)),
      uri: entry.names.id,
    })),
    hasResources: resources.length > 0 ? true : undefined,
    templates: entries.map((entry) => ({
      ...wordsOf(entry, [describePlace(entry)]),
      template: entry.names.wrapper,
      Template: new PrintedCode(typeOf("ResourceTemplate", argumentsType(entry), hasEnvironments)),
      uriTemplate: entry.names.id,
      arguments: toLiteral(entry.known),
    })),
    hasTemplates: templates.length > 0 ? true : undefined,
    hasEnvironments,
    extension: new PrintedCode(extension),
  });
}

/** An argument of a prompt, or a variable of a template. */
interface Argument {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isList: boolean;
  readonly texts: readonly string[];
}

interface EntryWithArguments extends PlannedEntry {
  readonly known: readonly Argument[];
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

function declareArguments(entries: readonly EntryWithArguments[]): string {
  return entries
    .filter(({ known: parameters }) => parameters.length > 0)
    .map(({ names, known: parameters }) => {
      const members = parameters.map(({ name, isRequired, isList, texts }) => {
        const type = isList ? "string | readonly string[]" : "string";
        const comment = printDocComment(texts);
        const member = `${quoteKey(name)}${isRequired ? "" : "?"}: ${type}${isRequired ? "" : " | undefined"};`;
        return comment === "" ? member : `${comment}\n${member}`;
      });
      return `export interface ${names.arguments} {\n${members.join("\n")}\n}`;
    })
    .join("\n\n");
}

function argumentsType({ names, known: parameters }: EntryWithArguments): string {
  return parameters.length === 0 ? "Record<string, never>" : names.arguments;
}

function typeOf(name: string, type: string | undefined, hasEnvironments: true | undefined): string {
  const parameters = [...(type === undefined ? [] : [type]), ...(hasEnvironments ? ["Environment"] : [])];
  return parameters.length === 0 ? name : `${name}<${parameters.join(", ")}>`;
}

function toLiteral(parameters: readonly Argument[]): JsonValue {
  return parameters.map(({ name, isRequired, isList }) =>
    omitUndefined({ name, isRequired: isRequired || undefined, isList: isList || undefined }),
  );
}

/** The documentation of an entry, and what its definition repeats of it. */
function wordsOf({ definition }: PlannedEntry, more: readonly string[]): TemplateValues {
  const { title, description } = describeTool(definition);
  const mimeType = getOwn(definition, "mimeType");
  return omitUndefined({
    comment: new PrintedCode(printDocComment([...paragraphsOf(title, description), ...more])),
    title,
    description,
    mimeType: typeof mimeType === "string" ? mimeType : undefined,
  });
}

/** The title if it adds to the start of the description, then the description. */
function paragraphsOf(title: string | undefined, description: string | undefined): readonly string[] {
  const paragraphs = description?.startsWith(title ?? "") === true ? [description] : [title, description];
  return paragraphs.filter((text) => text !== undefined);
}

function describePlace({ names, definition }: PlannedEntry): string {
  const mimeType = getOwn(definition, "mimeType");
  return `\`${names.id}\`${typeof mimeType === "string" ? ` (${mimeType})` : ""}`;
}
