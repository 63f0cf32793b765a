// The fixture servers: the flags of each with their defaults, and what it does. A tool answers "called …" if nothing else is
// stated, and a list may have names of plain tools.
import { Buffer } from "node:buffer";
import { appendFileSync, readFileSync, unwatchFile, watchFile } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import { setInterval } from "node:timers";
import { setTimeout } from "node:timers/promises";
import { asks } from "./asks.js";
import { driftedContract } from "./contract.js";
import { HOSTILE, oddSchemas, RICH } from "./odd-tools.js";
import { library, promptsAndResources } from "./prompts.js";
import { plainTool, readOptions, respondJson, RpcError, serve, textResult } from "./raw-server.js";
import { REFUSALS } from "./refusals.js";
import { wordpress, WORDPRESS_FLAGS } from "./wordpress.js";

/**
 * @typedef {Partial<import("./raw-server.js").Behaviour> & { tools?: any[], isSilent?: boolean, started?: (notifyAll: (method: string) => void) => void }} Fixture
 * @typedef {(options: Record<string, string>, host: import("./raw-server.js").Host) => Fixture | Promise<Fixture>} Make
 */

const READS = { annotations: { readOnlyHint: true } };
const RAW = {
  ...READS,
  inputSchema: { type: "object", properties: { raw: { type: "string" } }, required: ["raw"] },
};
const TEXT = { type: "string" };
const FLAG = { type: "boolean" };

/** @param {string} name */
const reading = (name) => plainTool(name, READS);
/** @param {object} properties @param {string[]} required */
const objectOf = (properties, required) => ({ type: "object", properties, required });
/** A plain tool with further parameters. @param {string} name @param {object} properties @param {object} [more] */
function widerTool(name, properties, more) {
  const { inputSchema } = plainTool(name);
  return plainTool(name, {
    ...more,
    inputSchema: { ...inputSchema, properties: { ...inputSchema.properties, ...properties } },
  });
}

/** @type {Record<string, [flags: Record<string, string>, make: Make]>} */
const FIXTURES = {
  // Tools that declare no output schema: "find-orders" answers with JSON as text, "get-order" with structured content and
  // "greet" with words. `--revision 2` gives "get-order" another parameter and its orders no status, `--declared yes` an output
  // schema for "get-order".
  answers: [
    { revision: "1", declared: "no" },
    ({ revision, declared }) => {
      /** @param {number} id */
      const order = (id) => ({
        id,
        ...(revision === "1" && { status: id % 2 === 0 ? "open" : "shipped" }),
        customer: { email: `ann${id}@example.com`, note: id % 3 === 0 ? null : "Ring twice." },
        placed_at: `2026-03-0${(id % 9) + 1}T10:00:00Z`,
        ...(id % 2 === 0 && { tracking: `T${id}` }),
      });
      const outputSchema = objectOf({ id: TEXT, status: TEXT }, ["id"]);
      const more = { ...READS, ...(declared === "yes" && { outputSchema }) };
      return {
        tools: [
          widerTool("get-order", revision === "1" ? {} : { fields: TEXT }, more),
          reading("find-orders"),
          reading("greet"),
        ],
        call: ({ name, arguments: { id } }) => {
          if (name === "greet") return textResult(`Hello ${id}.`);
          const found = { orders: [order(id), order(id + 1)], total: 2 };
          if (name === "find-orders") return textResult(JSON.stringify(found));
          return { ...textResult("See below."), structuredContent: order(id) };
        },
      };
    },
  ],
  // A tool for models, one for user interfaces (MCP Apps), and one for both.
  apps: [
    {},
    () => {
      /** @param {readonly string[]} visibility */
      const shownTo = (...visibility) => ({ _meta: { ui: { resourceUri: "ui://apps/cart", visibility } } });
      return {
        tools: ["show", plainTool("refresh", shownTo("app")), plainTool("add", shownTo("model", "app"))],
      };
    },
  ],
  asks: [{}, asks],
  // Lists "act", "change" and "tally". After a call of "change", "act" requires a second argument; --notify yes sends a
  // notification. "tally" returns how often the list was read, and "act" how often it was called.
  "changes-list": [
    { notify: "no", delay: "0" },
    ({ notify, delay }) => {
      const tally = { listed: 0, acted: 0 };
      let hasChanged = false;
      const act = reading("act");
      const inputSchema = objectOf({ ...act.inputSchema.properties, why: TEXT }, ["id", "why"]);
      return {
        capabilities: { tools: { listChanged: true } },
        list: async () => {
          tally.listed += 1;
          await setTimeout(Number(delay));
          const tools = [hasChanged ? { ...act, inputSchema } : act, reading("change"), reading("tally")];
          return { tools: [...tools, ...(hasChanged ? [plainTool("new")] : [])] };
        },
        call: ({ name }, { send }) => {
          if (name === "act") tally.acted += 1;
          if (name === "change") hasChanged = true;
          if (name === "change" && notify === "yes")
            send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
          return textResult(JSON.stringify(tally));
        },
      };
    },
  ],
  // Writes a banner and log lines to stdout, and sends notifications and requests to the client before answers.
  chatty: [
    { banner: "yes" },
    ({ banner, http, sse }, { stdout }) => {
      if (banner === "yes" && http === undefined && sse === undefined)
        stdout.write("chatty server listening on stdio\n\n");
      /** @type {import("./raw-server.js").Handler} */
      const chat = (_, { send }) => {
        send({
          jsonrpc: "2.0",
          method: "notifications/message",
          params: { level: "info", data: "thinking" },
        });
        send({ jsonrpc: "2.0", id: "ask-1", method: "ping" });
        send({ jsonrpc: "2.0", id: "ask-2", method: "roots/list" });
        return { tools: [plainTool("talk")], ...textResult("done") };
      };
      return { capabilities: { tools: { listChanged: true }, logging: {} }, list: chat, call: chat };
    },
  ],
  // Three names that become getUser, and another name.
  "colliding-names": [{}, () => ({ tools: ["get-user", "get_user", "GetUser", "list-users"] })],
  // Counts calls. "write" takes an ID, "tally" returns how often each was written, "read" has no effect, "steps" reports
  // progress, and "failing" returns an error about a session.
  counting: [
    {},
    () => {
      /** @type {Record<string, number>} */
      const written = {};
      let failures = 0;
      return {
        tools: ["write", "read", "tally", "steps", "failing", "whoami"],
        call: async ({ name, arguments: { id, delay = 1 }, _meta }, { headers: { authorization }, send }) => {
          switch (name) {
            case "write":
              written[id] = (written[id] ?? 0) + 1;
              return textResult(`written ${id}`);
            case "read":
              return textResult(`read ${id}`);
            case "tally":
              return textResult(JSON.stringify({ written, failures }));
            case "steps":
              for (let step = 1; step <= 3; step += 1) {
                const progress = { progressToken: _meta?.progressToken, progress: step, total: 3 };
                const params = { ...progress, message: `step ${step}, as ${authorization}` };
                send({ jsonrpc: "2.0", method: "notifications/progress", params });
                await setTimeout(Number(delay));
              }
              return textResult(_meta?.progressToken === undefined ? "not watched" : "watched");
            case "failing":
              failures += 1;
              throw new RpcError(-32602, "Checkout session not found");
            case "whoami":
              return textResult(String(authorization ?? "anonymous"));
            default:
              throw new RpcError(-32602, `Unknown tool: ${String(name)}`);
          }
        },
      };
    },
  ],
  // Exits with code 7 at one step: --at start, initialize, list (at the second page) or call.
  "dies-midway": [
    { at: "list" },
    ({ at }, host) => {
      /** @param {string} step */
      const die = (step) => {
        if (at !== step) return undefined;
        host.stderr.write(`dies-midway: giving up at ${step}\n`);
        return host.exit(7);
      };
      die("start");
      return {
        methods: { initialize: () => die("initialize") },
        list: ({ cursor }) => {
          if (cursor !== undefined) die("list");
          const first = { tools: [plainTool("first")], nextCursor: "more" };
          return cursor === undefined ? first : { tools: [plainTool("second")] };
        },
        call: () => die("call") ?? { content: [] },
      };
    },
  ],
  // A small contract with one change, named by --drift. The environment variable DRIFT does the same, so that the server can
  // change without its configuration.
  drifted: [
    { drift: "" },
    ({ drift }, { env }) => ({
      ...driftedContract(drift || (env["DRIFT"] ?? "none")),
      call: ({ name }) =>
        name === "find-orders"
          ? { ...textResult('{"ids":[1],"total":1}'), structuredContent: { ids: [1], total: 1 } }
          : textResult("cancelled"),
    }),
  ],
  // One name with two definitions, one name with the same definition twice, and another tool.
  "duplicate-names": [
    {},
    () => ({
      tools: [
        plainTool("differs", { description: "The first definition." }),
        "repeats",
        plainTool("differs", { description: "The second definition." }),
        "once",
        "repeats",
      ],
    }),
  ],
  // Every page has a new cursor. With --empty yes, the pages have no tools. With --size, each has so many characters.
  "endless-cursor": [
    { empty: "no", size: "0" },
    ({ empty, size }) => ({
      list: ({ cursor = "1" }) => ({
        tools:
          empty === "yes" ? [] : [plainTool(`tool-${cursor}`, { description: "x".repeat(Number(size)) })],
        nextCursor: String(Number(cursor) + 1),
      }),
    }),
  ],
  // Its list changes, in the way that FLICKER names. Ways without a difference in meaning must not be reported.
  flickering: [
    {},
    (_, { env }) => {
      const by = env["FLICKER"] ?? "tools";
      let lists = 0;
      /** @param {string[]} kinds */
      const pick = (...kinds) =>
        plainTool("pick", { inputSchema: objectOf({ kind: { type: "string", enum: kinds } }, []) });
      /** The tools of list number `n`, from 1. @type {Record<string, (n: number) => unknown[]>} */
      const byKind = {
        // Every second list lacks a tool.
        tools: (n) => (n % 2 === 1 ? ["one", "two"] : ["one"]),
        // A description contains the number of readings.
        text: (n) => [plainTool("one", { description: `Read ${n} times.` })],
        // Each list has one more tool, as for backends that start one by one.
        grows: (n) => Array.from({ length: n }, (_, index) => `backend-${index}`),
        // Every second list has another order, also of its enums.
        order: (n) => (n % 2 === 1 ? ["one", pick("a", "b", "c")] : [pick("c", "b", "a"), "one"]),
        // The second list differs from the first, and the third equals the second: the server was updated.
        once: (n) => (n === 1 ? ["one"] : ["one", "two"]),
        // Every list after the first ends after its first page.
        end: () => ["one"],
      };
      return {
        list: ({ cursor }) => {
          if (cursor !== undefined) throw new RpcError(-32603, "Out of memory");
          lists += 1;
          const tools = toolsOf(byKind[by]?.(lists) ?? []);
          return { tools, ...(by === "end" && lists > 1 && { nextCursor: "more" }) };
        },
      };
    },
  ],
  // Lists the tools of a JSON file: names, or definitions; with --as prompts, one tool and the prompts of the file. --notify yes
  // declares and sends a notification when the file is written; --notify declared only declares it and refuses the stream.
  // --ttl states how long a list is fresh.
  "follows-file": [
    { file: "", notify: "no", ttl: "", as: "tools" },
    ({ file = "", notify, ttl, as }, { atEnd }) => {
      /** @type {any[]} */
      let entries = [];
      // A test may be writing the file: the entries before it are then listed, and the next change lists the others.
      const readEntries = () => {
        try {
          entries = JSON.parse(readFileSync(file, "utf8"));
        } catch (error) {
          if (!(error instanceof SyntaxError)) throw error;
        }
        return entries;
      };
      const listChanged = { listChanged: true };
      return {
        ...(notify !== "no" && { capabilities: { tools: listChanged, prompts: listChanged } }),
        methods: { "prompts/list": () => ({ prompts: readEntries().map((name) => ({ name })) }) },
        list: () => ({
          tools: (as === "tools" ? readEntries() : ["one"]).map((entry) =>
            typeof entry === "string" ? reading(entry) : entry,
          ),
          ...(ttl !== "" && { ttlMs: Number(ttl) }),
        }),
        http: (request, response) => {
          if (request.method !== "GET" || notify !== "declared") return false;
          response.writeHead(405).end();
          return true;
        },
        started: (notifyAll) => {
          if (notify !== "yes") return;
          const changed = () => notifyAll(`notifications/${as}/list_changed`);
          watchFile(file, { interval: 20 }, changed);
          atEnd?.push(() => unwatchFile(file, changed));
        },
      };
    },
  ],
  // Each text of hostile-texts.json is once in every place of a definition. Each payload sets globalThis.pwned.
  "hostile-names": [
    {},
    () => ({
      ...HOSTILE,
      call: ({ name, arguments: args }) => ({ ...textResult(String(name)), structuredContent: args ?? {} }),
    }),
  ],
  // A list of --tools tools, or of about --megabytes, in one page or in --pages pages.
  "huge-list": [
    { tools: "10000", megabytes: "0", pages: "1" },
    ({ tools, megabytes, pages }) => {
      const [count, size] = [Number(tools), Math.ceil(Number(tools) / Number(pages))];
      const length = Math.max(74, Math.floor((Number(megabytes) * 1_000_000) / count));
      const words = "Reads one record and returns it with its fields in the order of the list. ";
      const description = words
        .repeat(Math.ceil(length / words.length))
        .slice(0, length)
        .trim();
      const properties = {
        id: { type: "integer", minimum: 1, description: "The record's number." },
        fields: { type: "array", items: TEXT, description: "Which fields to return." },
        order: { type: "string", enum: ["asc", "desc"], default: "asc" },
      };
      /** @param {number} index */
      const tool = (index) => ({
        name: `record-${String(index).padStart(5, "0")}-get`,
        description,
        inputSchema: objectOf(properties, ["id"]),
      });
      return {
        list: ({ cursor = "0" }) => {
          const page = Number(cursor);
          const listed = Array.from({ length: Math.min(size, count - page * size) }, (_, index) =>
            tool(page * size + index),
          );
          return { tools: listed, ...(page + 1 < Number(pages) && { nextCursor: String(page + 1) }) };
        },
      };
    },
  ],
  library: [{ prompts: "", resources: "", resourceTemplates: "", skills: "", era: "both" }, library],
  // Lists "always" for every client, and "ask-user" or "ask-model" for clients that declare elicitation or sampling.
  "lists-by-capability": [
    {},
    () => ({
      list: (_, { clientCapabilities: { elicitation, sampling } }) => ({
        tools: toolsOf(["always", ...(elicitation ? ["ask-user"] : []), ...(sampling ? ["ask-model"] : [])]),
      }),
    }),
  ],
  "odd-schemas": [{ only: "" }, oddSchemas],
  // A tool whose parameters have the names of command line options, and which returns them; one that returns its working
  // folder, one that never answers, and one with an image and structured content.
  "own-options": [
    {},
    (_, { env }) => {
      const properties = {
        json: FLAG,
        input: TEXT,
        env: TEXT,
        help: FLAG,
        yes: FLAG,
        config: TEXT,
        server: TEXT,
      };
      const plain = { ...READS, inputSchema: { type: "object" } };
      const outputSchema = { type: "object" };
      const image = { type: "image", data: "AAAA", mimeType: "image/png" };
      const pictured = {
        content: [...textResult('{"title":"A"}').content, image],
        structuredContent: { title: "A" },
      };
      return {
        tools: [
          { name: "echo", inputSchema: { type: "object", properties }, outputSchema, ...READS },
          { name: "where", ...plain },
          { name: "wait", ...plain },
          { name: "pictured", ...plain, outputSchema },
        ],
        call: ({ name, arguments: args }) => {
          if (name === "echo") return { content: [], structuredContent: args };
          if (name === "pictured") return pictured;
          return name === "wait" ? new Promise(() => undefined) : textResult(env["WHERE"] ?? "nowhere");
        },
      };
    },
  ],
  // Lists its tools in four pages. The cursor of the third page is the empty string, which is a valid cursor.
  paged: [
    { "page-size": "2" },
    (options) => {
      const cursors = [undefined, "second", "", "fourth"];
      const length = Number(options["page-size"]);
      return {
        list: ({ cursor }) => {
          const page = cursors.indexOf(cursor) + 1;
          if (page === 0) throw new RpcError(-32602, `Unknown cursor ${JSON.stringify(cursor)}`);
          const names = Array.from({ length }, (_, index) => `page-${page}-tool-${index + 1}`);
          return { tools: toolsOf(names), ...(page < cursors.length && { nextCursor: cursors[page] }) };
        },
      };
    },
  ],
  "prompts-and-resources": [{ broken: "" }, promptsAndResources],
  // Tools whose answers are the raw JSON text in the argument "raw": "structured" declares an output schema, and "plain" none.
  // "take" and "closed" answer with the arguments that they received, as JSON text.
  "raw-answers": [
    {},
    () => {
      const any = { id: { type: "integer" }, any: {}, ids: { type: "array", items: { type: "number" } } };
      const schema = { type: "object", propertyNames: TEXT, additionalProperties: false };
      const closed = { schema, sort: { enum: ["asc", "desc"] } };
      const outputSchema = { type: "object", properties: { Id: { type: "integer" }, name: TEXT } };
      return {
        tools: [
          plainTool("structured", { ...RAW, outputSchema }),
          plainTool("plain", RAW),
          plainTool("take", { ...READS, inputSchema: { type: "object", properties: any } }),
          plainTool("closed", { ...READS, inputSchema: { type: "object", properties: closed } }),
        ],
        call: ({ name, arguments: args }) =>
          name === "take" || name === "closed" ? textResult(JSON.stringify(args)) : args.raw,
      };
    },
  ],
  // Answers every request with something that is not MCP, named by --how. Over stdio, use only json-rpc-error, garbage and
  // silence.
  refuses: [
    { how: "unauthorized" },
    ({ how = "", http }, { stdout }) => {
      if (how === "garbage" && http === undefined) stdout.write("]{ not json\n");
      return {
        http: (request, response) => {
          const shown = request.url === "/wp-login.php" ? "login-page" : how;
          const refusal = REFUSALS[shown];
          if (how === "silence") return true;
          if (refusal === undefined) return false;
          const [status, type, body, headers] = refusal;
          response.writeHead(status, { "content-type": type, ...headers }).end(body);
          return true;
        },
        methods: {
          initialize: () => {
            if (how === "json-rpc-error") throw new RpcError(-32603, "The plugin is not active");
            return how === "silence" || how === "garbage" ? new Promise(() => undefined) : undefined;
          },
        },
        list: () => {
          throw new RpcError(-32603, "Listing is switched off");
        },
      };
    },
  ],
  // Page a leads to page b, and page b to page a.
  "repeating-cursor": [
    {},
    () => ({
      list: ({ cursor = "first" }) => ({
        tools: [plainTool(`tool-${cursor}`)],
        nextCursor: cursor === "a" ? "b" : "a",
      }),
    }),
  ],
  "rich-content": [
    {},
    () => ({
      tools: Object.entries(RICH).map(([name, [, outputSchema]]) => ({
        ...{ name, description: `Answers with: ${name}.`, inputSchema: { type: "object" } },
        ...(outputSchema && { outputSchema }),
      })),
      call: ({ name }) => {
        const answer = Object.hasOwn(RICH, name) ? RICH[name]?.[0] : undefined;
        if (!answer) throw new RpcError(-32602, `Unknown tool: ${String(name)}`);
        return answer;
      },
    }),
  ],
  // Repeats every environment variable SECRET… and every request header in its errors: --at initialize, list or call; with
  // --status, the error is the HTTP answer. With --at keys, a header is a key of an answer. With --at tools, the tool "leak" has
  // them in its definition, beside "calm".
  "secret-echo": [
    { at: "list", status: "" },
    ({ at, status }, { env, stderr }) => {
      /** @param {object} headers */
      const secretsOf = (headers) => {
        const secrets = Object.entries(env).filter(([name]) => name.startsWith("SECRET"));
        return `refused ${JSON.stringify({ env: Object.fromEntries(secrets), headers })}`;
      };
      /** @param {string} step @param {object} headers */
      const fail = (step, headers) => {
        const secrets = secretsOf(headers);
        stderr.write(`${secrets}\n`);
        if (at === step) throw new RpcError(-32000, secrets, { echoed: secrets });
      };
      /** @param {string} text */
      const leak = (text) =>
        plainTool("leak", {
          description: text,
          inputSchema: {
            type: "object",
            properties: { [`key ${text}`]: {}, path: { type: "string", default: encodeURIComponent(text) } },
          },
          _meta: { "example.com/request": Buffer.from(text).toString("base64url") },
        });
      return {
        methods: { initialize: (_, { headers }) => fail("initialize", headers) },
        list: (_, { headers }) => {
          fail("list", headers);
          return { tools: toolsOf(at === "tools" ? ["calm", leak(secretsOf(headers))] : ["leak"]) };
        },
        call: (_, { headers }) =>
          at === "keys"
            ? { content: [], structuredContent: { [String(headers["authorization"])]: 1 } }
            : { isError: true, ...textResult(secretsOf(headers)) },
        http: (request, response) => {
          const body = { code: "refused", message: secretsOf(request.headers) };
          if (status !== "") respondJson(response, Number(status), body);
          return status !== "";
        },
      };
    },
  ],
  // Lists "select_project" alone until it is called with the key that the environment variable KEY names; then "deploy", too.
  // `--hint no`: "select_project" is not marked as read-only.
  selects: [
    { hint: "yes" },
    ({ hint }, { env }) => {
      let isSelected = false;
      return {
        list: () => ({
          tools: [
            plainTool("select_project", hint === "yes" ? READS : {}),
            ...(isSelected ? [plainTool("deploy")] : []),
          ],
        }),
        call: ({ name, arguments: { id, key } }) => {
          if (name === "deploy") return textResult(isSelected ? `deployed ${id}` : "no project");
          isSelected = key === env["KEY"];
          return {
            ...textResult(isSelected ? "selected" : `no project with key ${key}`),
            isError: !isSelected,
          };
        },
      };
    },
  ],
  // Takes --delay milliseconds for one step: --at start (before it reads input), initialize, list or call. With --effect reads,
  // its tool only reads.
  slow: [
    { delay: "2000", at: "list", effect: "writes" },
    async ({ delay, at, effect }) => {
      /** @param {string} step @param {object} [result] */
      const wait = async (step, result) => {
        if (at === step) await setTimeout(Number(delay));
        return result;
      };
      await wait("start");
      return {
        methods: { initialize: () => wait("initialize") },
        list: () => wait("list", { tools: [plainTool("wait", effect === "reads" ? READS : {})] }),
        call: () => wait("call", textResult("done")),
      };
    },
  ],
  // First writes --say to stderr, where "\n" starts a new line. Then --then decides: serve, hang (a bridge that waits for a
  // login), or exit. With --log, it adds a line to that file at each start.
  talkative: [
    { say: "Listening.", then: "serve", log: "" },
    ({ say = "", then, log = "" }, host) => {
      const { stderr, stdin } = host;
      if (log !== "") appendFileSync(log, "started\n");
      stderr.write(`${say.replaceAll("\\n", "\n")}\n`);
      if (then === "exit") process.exitCode = 3;
      if (then === "hang") {
        stdin.resume().on("end", () => host.exit(0));
        setInterval(() => undefined, 60_000);
      }
      return {
        isSilent: then !== "serve",
        tools: [reading("say")],
        call: () => {
          stderr.write("called\n");
          return textResult("said");
        },
      };
    },
  ],
  // Lists other tools for other flags and accounts: "list" always, "remove" without `--read-only yes`, "audit" with the bearer
  // token "admin-token" alone, and "search" with a further parameter for it. `--lose yes`: the account of an admin loses
  // "remove".
  views: [
    { "read-only": "no", lose: "no" },
    ({ lose, ...options }) => ({
      list: (_, { headers }) => {
        const isAdmin = headers["authorization"] === "Bearer admin-token";
        const canRemove = options["read-only"] === "no" && !(isAdmin && lose === "yes");
        const search = isAdmin ? widerTool("search", { deleted: FLAG }) : "search";
        return {
          tools: toolsOf(["list", search, ...(canRemove ? ["remove"] : []), ...(isAdmin ? ["audit"] : [])]),
        };
      },
      call: ({ name }, { headers }) => textResult(`${String(name)} as ${String(headers["authorization"])}`),
    }),
  ],
  wordpress: [WORDPRESS_FLAGS, wordpress],
};

/** @param {any[]} tools */
const toolsOf = (tools) => tools.map((tool) => (typeof tool === "string" ? plainTool(tool) : tool));

/** Starts the fixture of a file or a name with its arguments. @param {string} file @param {string[]} args @param {import("./raw-server.js").Host} host */
export async function start(file, args, host) {
  const name = basename(file, ".js");
  if (name === "fixtures") return start(args[0] ?? "drifted", args.slice(1), host);
  const [flags, make] = FIXTURES[name] ?? [];
  if (flags === undefined || make === undefined) throw new Error(`There is no fixture "${name}".`);
  const options = readOptions(flags, args);
  const { tools = [], isSilent, started, ...behaviour } = await make(options, host);
  if (isSilent) return;
  const notifyAll = serve(
    {
      name,
      list: () => ({ tools: toolsOf(tools) }),
      call: (params) => textResult(`called ${String(params.name)}`),
      ...behaviour,
    },
    options,
    host,
  );
  started?.(notifyAll);
}

if (process.argv[1]?.startsWith(import.meta.dirname))
  await start(process.argv[1], process.argv.slice(2), process);
