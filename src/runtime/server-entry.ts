import type { CallOptions } from "./call-options.js";
import type { RequestError } from "./request-error.js";
import type { ContentBlock, Result } from "./result.js";
import type { ServerDefinition } from "./tool.js";

/** Options of a request for a prompt or a resource: those of a call that do not concern tools alone. */
export type RequestOptions<Environment extends string = string> = Omit<
  CallOptions<Environment>,
  "output" | "onContent" | "changes"
>;

/** What generated code knows of one prompt. */
export interface PromptDefinition {
  readonly server: ServerDefinition;
  /** As the server calls it. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly EntryArgument[];
}

/** What generated code knows of one resource. */
export interface ResourceDefinition {
  readonly server: ServerDefinition;
  readonly uri: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** What generated code knows of one resource template. */
export interface ResourceTemplateDefinition {
  readonly server: ServerDefinition;
  /** RFC 6570. */
  readonly uriTemplate: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** The variables of the template. */
  readonly arguments: readonly EntryArgument[];
}

/** An argument of a prompt, or a variable of a template. */
export interface EntryArgument {
  readonly name: string;
  readonly isRequired?: true;
  /** Whether a list is accepted besides a text: the variable has the modifier `*`. */
  readonly isList?: true;
}

/** A prompt as the server returns it (specification, "Prompts"). */
export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
}

export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: ContentBlock;
}

/** The contents of a resource (specification, "Resources"). A directory may have several. */
export interface ResourceResult {
  readonly contents: readonly ResourceContent[];
}

/** A text, or binary data in Base64. */
export type ResourceContent = ResourceContentBase &
  ({ readonly text: string; readonly blob?: never } | { readonly blob: string; readonly text?: never });

interface ResourceContentBase {
  readonly uri: string;
  readonly mimeType?: string;
  readonly [key: string]: unknown;
}

/** The parameters of a wrapper. Arguments can be omitted if all of them are optional. */
// oxlint-disable-next-line typescript/no-empty-object-type -- an object without keys is what is compared
export type RequestParameters<A, Environment extends string = string> = {} extends A
  ? [args?: A, options?: RequestOptions<Environment>]
  : [args: A, options?: RequestOptions<Environment>];

/** A prompt of a server as a function. */
export interface Prompt<A, Environment extends string = string> {
  /**
   * Requests the prompt.
   *
   * @throws ServerRequestError
   */
  (...parameters: RequestParameters<A, Environment>): Promise<PromptResult>;
  /** Requests the prompt and never throws. */
  safe(...parameters: RequestParameters<A, Environment>): Promise<Result<PromptResult, RequestError>>;
  readonly definition: PromptDefinition;
}

/** A resource of a server as a function. */
export interface Resource<Environment extends string = string> {
  /**
   * Reads the resource.
   *
   * @throws ServerRequestError
   */
  (options?: RequestOptions<Environment>): Promise<ResourceResult>;
  /** Reads the resource and never throws. */
  safe(options?: RequestOptions<Environment>): Promise<Result<ResourceResult, RequestError>>;
  readonly definition: ResourceDefinition;
}

/** The resources of a URI template as a function of its variables. */
export interface ResourceTemplate<A, Environment extends string = string> {
  /**
   * Reads the resource whose URI has these values.
   *
   * @throws ServerRequestError
   */
  (...parameters: RequestParameters<A, Environment>): Promise<ResourceResult>;
  /** Reads the resource and never throws. */
  safe(...parameters: RequestParameters<A, Environment>): Promise<Result<ResourceResult, RequestError>>;
  readonly definition: ResourceTemplateDefinition;
}
