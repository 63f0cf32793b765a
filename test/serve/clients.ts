import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { serveHttp, type ServingHttp } from "../../src/serve/index.js";
import type { Servable, ServeOptions } from "../../src/serve/offer.js";

export const TOKEN = "0123456789abcdef0123456789abcdef";

/** What somebody says when a client asks. */
export type Elicit = (message: string) => {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, boolean | string>;
};

export interface Progressed {
  readonly progress: number;
  readonly total?: number | undefined;
}

/** What the tests need of any client. */
export interface TestClient {
  listTools(): Promise<readonly string[]>;
  call(
    name: string,
    args: Record<string, unknown>,
    options?: { readonly signal?: AbortSignal; readonly onprogress?: (progress: Progressed) => void },
  ): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Where a server is: over HTTP, or a command. */
export type Place =
  | { readonly url: string; readonly headers: Record<string, string> }
  | {
      readonly command: string;
      readonly args: string[];
      readonly cwd?: string;
      readonly env?: Record<string, string>;
    };

const INFO = { name: "test", version: "1.0.0" };

/** The clients of the SDK: of its version 1, and of version 2 as before and as since the revision of 2026. */
export const CLIENTS: Readonly<Record<string, (place: Place, elicit?: Elicit) => Promise<TestClient>>> = {
  "version 1": async (place, elicit) => {
    const client = new OldClient(INFO, elicit && { capabilities: { elicitation: {} } });
    if (elicit) client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params.message));
    const transport =
      "url" in place
        ? new OldHttp(new URL(place.url), { requestInit: { headers: place.headers } })
        : new OldStdio({ ...place, stderr: "ignore" });
    await client.connect(transport);
    return {
      listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
      close: () => client.close(),
    };
  },
  "version 2": (place, elicit) => connectNew(place, "legacy", elicit),
  "version 2, revision 2026-07-28": (place, elicit) => connectNew(place, "auto", elicit),
};

async function connectNew(place: Place, mode: "legacy" | "auto", elicit?: Elicit): Promise<TestClient> {
  const client = new Client(INFO, {
    versionNegotiation: { mode },
    ...(elicit && { capabilities: { elicitation: {} } }),
  });
  if (elicit) client.setRequestHandler("elicitation/create", ({ params }) => elicit(params.message));
  await client.connect(
    "url" in place
      ? new StreamableHTTPClientTransport(new URL(place.url), { requestInit: { headers: place.headers } })
      : new StdioClientTransport({ ...place, stderr: "ignore" }),
  );
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, options) => client.callTool({ name, arguments: args }, options),
    close: () => client.close(),
  };
}

/** Serves tools over HTTP until the test ends. */
export async function serveTools(source: Servable, options: ServeOptions = {}): Promise<ServingHttp> {
  const serving = await serveHttp(source, { port: 0, token: TOKEN, ...options });
  onTestFinished(() => serving.close());
  return serving;
}

/** Connects a client of the SDK with a served address until the test ends. */
export async function connectTo(name: string, url: string, elicit?: Elicit): Promise<TestClient> {
  const client = await CLIENTS[name]?.({ url, headers: { authorization: `Bearer ${TOKEN}` } }, elicit);
  if (client === undefined) throw new Error(`There is no client "${name}".`);
  onTestFinished(() => client.close());
  return client;
}

/** Connects a client of version 2 of the SDK, as it is, with a served address until the test ends. */
export async function openClient(url: string, mode: "legacy" | "auto" = "legacy"): Promise<Client> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${TOKEN}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

export interface RawResult {
  readonly resultType?: string;
  readonly requestState?: string;
  readonly inputRequests?: unknown;
  readonly structuredContent?: unknown;
  readonly content?: readonly { readonly text: string }[];
}

/** Sends a request by the revision of 2026-07-28, with any parameters, as no client of the SDK does. */
export async function postRaw(
  url: string,
  method: string,
  params: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} } },
  };
  return fetch(url, {
    method: "POST",
    headers: {
      ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
      ...{ authorization: `Bearer ${TOKEN}`, "mcp-protocol-version": "2026-07-28", "mcp-method": method },
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
}

/** Calls a tool so, with any answers to questions. */
export async function callRaw(
  url: string,
  name: string,
  params: object,
): Promise<{ readonly result?: RawResult; readonly error?: unknown }> {
  const response = await postRaw(url, "tools/call", { ...params, name }, { "mcp-name": name });
  return (await response.json()) as { readonly result?: RawResult };
}
