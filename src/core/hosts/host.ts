/** Hosts and providers that show tools to models, and the parts of a rule about one of them. */
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../json.js";
import { subschemasOf } from "../subschemas.js";
import { DEEPEST_USABLE } from "../limits.js";

/** The names in messages. */
export const HOSTS = {
  openai: "OpenAI",
  "openai-strict": "OpenAI in strict mode",
  anthropic: "Anthropic",
  gemini: "Gemini (parametersJsonSchema)",
  "gemini-parameters": "Gemini (parameters)",
  "claude-code": "Claude Code",
  "claude-desktop": "Claude Desktop",
  cursor: "Cursor",
  vscode: "VS Code",
  windsurf: "Windsurf",
  chatgpt: "ChatGPT",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  "ai-sdk": "The MCP client of the AI SDK",
  "ai-sdk-google": "The AI SDK 5 and 6 with Gemini",
  "langchain-js": "LangChain.js",
  mastra: "Mastra",
  "openai-agents": "The OpenAI Agents SDK",
  "mcp-sdk": "The MCP TypeScript SDK",
} as const;

export type HostId = keyof typeof HOSTS;

export const HOST_IDS = Object.keys(HOSTS) as readonly HostId[];

/** Hosts in another form: what the host does with tools holds for them too. */
export const FORM_OF: { readonly [Host in HostId]?: HostId } = {
  "openai-strict": "openai",
  "gemini-parameters": "gemini",
};

/** The most tools in a request, for providers that refuse more. */
export const MOST_TOOLS = { openai: 128, gemini: 512 } as const;

/**
 * The effect of a rule. `request`: the provider refuses the whole request. `list`: all tools of the server, or of the host,
 * are lost. `tool`: the tool is not offered. `call`: calls of the tool fail. `altered`: the tool works, in another form.
 */
export type HostEffect = "request" | "list" | "tool" | "call" | "altered";

/** The effect of a rule, as the end of a sentence about the host. */
export const HOST_EFFECT_WORDS = {
  request: "refuses the whole request",
  list: "loses the list of tools",
  tool: "does not offer the tool",
  call: "fails to call the tool",
  altered: "changes the tool",
} as const satisfies Record<HostEffect, string>;

/** Why a rule is believed: the host's own documentation or code, trials, its maintainers, or reports of several users. */
type Certainty = "documentation" | "code" | "measured" | "maintainer" | "reports";

/** A tool of a server, as a host receives it. */
export interface HostTool {
  readonly server: string;
  readonly definition: JsonObject;
}

/** A tool with what the conditions read. */
export interface HostToolView extends HostTool {
  /** As the server calls it. */
  readonly name: string;
  /** As the host calls it, with the name of the server where it adds that. */
  readonly sentName: string;
  readonly input: JsonValue | undefined;
  /** Every schema in the input schema, the root first. */
  readonly nodes: readonly SchemaNode[];
}

export interface SchemaNode {
  readonly schema: JsonObject;
  /** JSON Pointer into the definition. */
  readonly at: string;
}

/** A place in the definition where a rule applies, and the part that does not fit. */
export interface HostHit {
  readonly at: string;
  readonly detail?: string | undefined;
}

/** What a rule about a host says. */
export interface HostRuleFacts {
  readonly host: HostId;
  /** The concerned part of a tool, or `tools` for the list. */
  readonly field: string;
  /** The condition, as a sentence without a full stop. */
  readonly says: string;
  readonly effect: HostEffect;
  /** How to avoid it, as a sentence. */
  readonly fix: string;
  /** Whether the fix keeps what the tool accepts; undefined where it depends on the tool. */
  readonly isLossless?: boolean | undefined;
  readonly certainty: Certainty;
  readonly source: string;
  /** Year and month of the newest source. */
  readonly date: string;
  /** The number of tools beyond which it applies; absent for a rule about something else. */
  readonly mostTools?: number | undefined;
}

/** A rule about what a host does with tools, and where it holds. */
export interface HostRule extends HostRuleFacts {
  /** Whether it does not hold for other forms of the host; see {@link FORM_OF}. */
  readonly isOfOneForm?: true;
  /** Returns where it applies: in a tool, or in the list of all servers. */
  readonly find: (
    tools: readonly HostToolView[],
  ) => readonly { readonly tool?: HostToolView; readonly hits: readonly HostHit[] }[];
}

/** Names as hosts send them: with the server's name where they add it. Providers get it where there are several servers. */
const SENT_NAMES: { readonly [Host in HostId]?: (server: string, tool: string) => string } = {
  "claude-code": (server, tool) => `mcp__${server}__${tool}`,
  "claude-desktop": (_, tool) => tool,
  cursor: (server, tool) => `${server}${tool}`,
  vscode: (server, tool) => `${`mcp_${server}`.slice(0, 17)}_${tool}`,
  codex: (server, tool) => `mcp__${server}__${tool}`,
  "gemini-cli": (server, tool) => `mcp_${server}_${tool}`,
  "mcp-sdk": (_, tool) => tool,
};

/** Returns the tools with what the conditions read. */
export function viewTools(tools: readonly HostTool[]): readonly HostToolView[] {
  return tools.map((tool) => {
    const value = getOwn(tool.definition, "name");
    const name = typeof value === "string" ? value : "";
    const input = getOwn(tool.definition, "inputSchema");
    return { ...tool, name, sentName: name, input, nodes: nodesOf(input, "/inputSchema") };
  });
}

/** Returns the tools under the names that a host sends. */
export function nameForHost(views: readonly HostToolView[], host: HostId): readonly HostToolView[] {
  const isAlone = new Set(views.map(({ server }) => server)).size <= 1;
  const sent = SENT_NAMES[host] ?? ((server, tool) => (isAlone ? tool : `${server}__${tool}`));
  return views.map((view) => ({ ...view, sentName: sent(view.server, view.name) }));
}

/** Every schema in a schema, the schema itself first. */
export function nodesOf(schema: JsonValue | undefined, at: string): readonly SchemaNode[] {
  const nodes: SchemaNode[] = [];
  const visit = (value: JsonValue | undefined, pointer: string, depth: number): void => {
    if (!isJsonObject(value) || depth > DEEPEST_USABLE) return;
    nodes.push({ schema: value, at: pointer });
    for (const [subschema, below] of subschemasOf(value, pointer)) visit(subschema, below, depth + 1);
  };
  visit(schema, at, 0);
  return nodes;
}
