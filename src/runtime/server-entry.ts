import { omitUndefined } from "../core/collections.js";
import { isInstance } from "../core/errors.js";
import type { Issue } from "../core/schema.js";
import type { InputQuestion } from "../core/input-question.js";
import type { ContentBlock, Result, ToolError, ToolErrorCode, RequestOptions } from "../core/call.js";
import type { ServerDefinition } from "../core/tool.js";

/** The definition of a prompt in generated code. */
export interface PromptDefinition {
  readonly server: ServerDefinition;
  /** The name that the server gives it. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly EntryArgument[];
}

/** The definition of a resource in generated code. */
export interface ResourceDefinition {
  readonly server: ServerDefinition;
  readonly uri: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** The definition of a resource template in generated code. */
export interface ResourceTemplateDefinition {
  readonly server: ServerDefinition;
  /** A URI template, RFC 6570. */
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
  /** Whether a list of strings is accepted too: the variable has the modifier `*`. */
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
// oxlint-disable-next-line typescript/no-empty-object-type -- compared with an object without keys
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

/**
 * Why a request for a prompt or a resource failed.
 *
 * - `INVALID_INPUT`: the arguments are invalid, according to this package or to the server.
 * - `NOT_FOUND`: the server does not know the prompt or the resource, or no longer does.
 * - `UNAVAILABLE`: the server could not be reached, refused the request, or did not answer.
 * - `FAILED`: the server reports a failure.
 * - `INVALID_OUTPUT`: the answer is not a prompt, or not the contents of a resource.
 * - `INPUT_REQUIRED`: the server asked questions that were not answered. They are in `questions`.
 * - `CALL_NOT_RECORDED`: requests are answered from a cassette, which does not have this one. Nothing was sent.
 */
export type RequestErrorCode =
  | "INVALID_INPUT"
  | "NOT_FOUND"
  | "UNAVAILABLE"
  | "FAILED"
  | "INVALID_OUTPUT"
  | "INPUT_REQUIRED"
  | "CALL_NOT_RECORDED";

/** Describes a failed request for a prompt or a resource. */
export interface RequestError {
  readonly code: RequestErrorCode;
  readonly message: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly kind: "prompt" | "resource";
  /** The name of the prompt, or the URI of the resource; its URI template if the arguments are invalid. */
  readonly target: string;
  readonly server: string;
  /** The issues of the arguments. */
  readonly issues?: readonly Issue[];
  /** The questions of the server, with `INPUT_REQUIRED`. */
  readonly questions?: readonly InputQuestion[];
  /** The original error, or the raw result. */
  readonly cause?: unknown;
}

/** Thrown by the wrappers of prompts and resources: a {@link RequestError} with a stack. */
export class ServerRequestError extends Error implements RequestError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, { own: ServerRequestError, name: "ServerRequestError" }, value);
  }

  override readonly name = "ServerRequestError";
  declare readonly code: RequestErrorCode;
  declare readonly retryable: boolean;
  declare readonly kind: "prompt" | "resource";
  declare readonly target: string;
  declare readonly server: string;
  declare readonly issues?: readonly Issue[];
  declare readonly questions?: readonly InputQuestion[];

  constructor({ message, cause, ...fields }: RequestError) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, omitUndefined(fields));
  }
}

/** The codes of calls that also apply to requests. Policies and drift concern tools only. */
const CODES: { readonly [Code in ToolErrorCode]?: RequestErrorCode } = {
  TOOL_INVALID_INPUT: "INVALID_INPUT",
  TOOL_NOT_FOUND: "NOT_FOUND",
  TOOL_UNAVAILABLE: "UNAVAILABLE",
  TOOL_INVALID_OUTPUT: "INVALID_OUTPUT",
  INPUT_REQUIRED: "INPUT_REQUIRED",
  CALL_NOT_RECORDED: "CALL_NOT_RECORDED",
};

export function toRequestError(kind: RequestError["kind"], error: ToolError): RequestError {
  const { tool: target, message, retryable, server, issues, questions, cause } = error;
  const code = CODES[error.code] ?? "FAILED";
  return omitUndefined({ code, message, retryable, kind, target, server, issues, questions, cause });
}
