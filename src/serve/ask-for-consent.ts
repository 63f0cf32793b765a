import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type ClientCapabilities,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { digestOf } from "../contract/digest.js";
import { getOwn, isJsonObject, type JsonObject } from "../contract/json.js";
import { printable } from "../contract/printable.js";
import { EFFECT_WORDS, readStatedEffect } from "../contract/tool-effect.js";
import { NOT_LOCKED } from "../agent/policy/decide.js";
import type { RegisteredTool } from "../agent/registry/registered-tool.js";

/** What a client's user was asked: the digest of the name and arguments of the call, and the id of a call that waits. */
export interface ConsentRequest {
  readonly call: string;
  readonly held?: string;
}

export type ConsentSeal = RequestStateCodec<ConsentRequest>;

export interface Consent {
  /** Whether somebody consented to exactly this call. Where no one was asked yet, {@link question} asks. */
  readonly confirm: (tool: RegisteredTool, args: JsonObject) => Promise<boolean>;
  /** What the client is to ask, in place of an answer. */
  readonly question: () => InputRequiredResult | undefined;
}

const KEY = "consent";
/** Characters of the arguments that are shown. */
const MOST_SHOWN = 2_000;

/**
 * Whether the client can put a question to its user (specification, "Elicitation"). Before there were modes, all that asked
 * had forms.
 */
export function canAsk(
  { mcpReq }: ServerContext,
  declared: () => ClientCapabilities | undefined,
  kind: "form" | "url" = "form",
): boolean {
  const envelope: { readonly [key: string]: unknown } = mcpReq.envelope ?? {};
  const elicitation = memberOf(envelope[CLIENT_CAPABILITIES_META_KEY] ?? declared(), "elicitation");
  if (elicitation === undefined) return false;
  if (memberOf(elicitation, kind) !== undefined) return true;
  return kind === "form" && memberOf(elicitation, "url") === undefined;
}

/**
 * Asks through the client before a call. The request is answered with the question and comes again with what was said
 * (specification 2026-07-28, "Multi round-trip requests"; for older clients the SDK does that itself). The answer is sealed
 * to the tool and the arguments that were shown.
 */
export function askForConsent(context: ServerContext, seal: ConsentSeal): Consent {
  const { mcpReq } = context;
  let question: InputRequiredResult | undefined;
  return {
    confirm: async (tool, args) => {
      const call = digestOf({ tool: tool.name, args });
      const said = inputResponse(mcpReq.inputResponses, KEY);
      const asked = mcpReq.requestState<ConsentRequest>();
      if (said.kind === "elicit" && asked?.held === undefined && asked?.call === call)
        return said.action === "accept" && said.content?.["run"] === true;
      question = inputRequired({
        inputRequests: { [KEY]: inputRequired.elicit(formFor(tool, args)) },
        requestState: await seal.mint({ call }, context),
      });
      return false;
    },
    question: () => question,
  };
}

function formFor(
  { name, server, annotations, isLocked }: RegisteredTool,
  args: JsonObject,
): Parameters<typeof inputRequired.elicit>[0] {
  const where = server === undefined ? "" : ` of ${JSON.stringify(server)}`;
  const shown = printable(JSON.stringify(args), MOST_SHOWN);
  const effect = isLocked ? EFFECT_WORDS[readStatedEffect(annotations)] : NOT_LOCKED;
  return {
    message: `Run ${printable(JSON.stringify(name))}${where} (${effect})? Arguments: ${shown}`,
    requestedSchema: {
      type: "object",
      properties: { run: { type: "boolean", title: "Run it", default: false } },
      required: ["run"],
    },
  };
}

function memberOf(value: unknown, key: string): unknown {
  return isJsonObject(value) ? getOwn(value, key) : undefined;
}
