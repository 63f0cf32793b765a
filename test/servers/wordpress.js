// Answers like a WordPress with the MCP adapter: --server default has the three meta-tools, custom has the abilities as
// tools; --adapter 0.4 or 0.5; --rest open, closed or partial; --latency in milliseconds; --abilities adds abilities;
// --locale of the texts; --public none hides all; --deep yes adds one that is nested too deeply; --metatools is how many of them are
// listed; --problem of the site.
import { setTimeout } from "node:timers";
import { readOptions, respondJson, RpcError, serve } from "./raw-server.js";

const options = readOptions({
  server: "default",
  adapter: "0.5",
  rest: "open",
  latency: "0",
  abilities: "0",
  locale: "en_US",
  public: "some",
  problem: "none",
  deep: "no",
  metatools: "3",
});
const latency = Number(options.latency);
const isNew = options.adapter !== "0.4";
const ERROR_PAGE =
  "<p>There has been a critical error on this website.</p><p>Learn more about WordPress.</p>";

/** @param {string} english @param {string} german */
const translate = (english, german) => (options.locale === "de_DE" ? german : english);

/** @typedef {{ name: string, label: string, description: string, category: string, input_schema?: any, output_schema?: any, meta: any, run: (input: any) => unknown }} Ability */

const POST = {
  type: "object",
  properties: {
    id: { type: "integer", description: translate("Post ID", "Nummer des Beitrags") },
    title: { type: "string" },
    status: { type: "string", enum: ["draft", "publish"] },
    excerpt: { type: ["string", "null"] },
  },
  required: ["id", "title", "status"],
  additionalProperties: false,
};

/** @type {Map<number, { id: number, title: string, status: string, excerpt: string | null }>} */
const posts = new Map([[1, { id: 1, title: "Hello", status: "publish", excerpt: null }]]);

/** @param {number} id */
function getPost(id) {
  const post = posts.get(id);
  if (post === undefined) throw new Error(`No post ${id}`);
  return post;
}

/** @param {Partial<Ability> & { name: string }} ability @returns {Ability} */
function ability({ name, ...more }) {
  const isPublic = options.public !== "none" && more.meta?.mcp?.public !== false;
  return {
    name,
    label: name,
    description: `Does what ${name} says.`,
    category: name.split("/")[0] ?? "",
    run: (input) => input,
    ...more,
    meta: {
      annotations: { readonly: null, destructive: null, idempotent: null },
      show_in_rest: true,
      ...more.meta,
      mcp: { public: isPublic },
    },
  };
}

/** @param {number} depth @returns {unknown} */
function nest(depth) {
  let value = /** @type {unknown} */ ({});
  for (let at = 0; at < depth; at += 1) value = { value };
  return value;
}

const abilities = [
  ability({
    name: "content/get-post",
    label: translate("Get post", "Beitrag holen"),
    description: translate("Fetches one post.", "Holt einen Beitrag."),
    input_schema: { type: "object", properties: { id: { type: "integer", minimum: 1 } }, required: ["id"] },
    output_schema: POST,
    meta: { annotations: { readonly: true, destructive: false, idempotent: true } },
    run: ({ id }) => getPost(id),
  }),
  ability({
    name: "content/list-posts",
    category: "reading",
    input_schema: {
      type: "object",
      properties: { per_page: { type: "integer", default: 10, required: false } },
      default: [],
    },
    output_schema: { type: "array", items: POST },
    run: () => [...posts.values()],
  }),
  ability({
    name: "content/create-post",
    input_schema: {
      type: "object",
      properties: { title: { type: "string", required: true }, status: POST.properties.status },
      additionalProperties: false,
    },
    output_schema: POST,
    run: ({ title, status = "draft" }) => {
      const post = { id: posts.size + 1, title, status, excerpt: null };
      posts.set(post.id, post);
      return post;
    },
  }),
  ability({
    name: "content/delete-posts",
    input_schema: { type: "array", items: { type: "integer" } },
    output_schema: { type: "boolean" },
    run: (ids) => ids.every((/** @type {number} */ id) => posts.delete(id)),
  }),
  ability({ name: "content/count", run: () => 42 }),
  ability({
    name: "content/empty",
    input_schema: { type: "object", properties: [] },
    output_schema: { type: "object" },
    run: () => [],
  }),
  ability({ name: "content/fails-softly", run: () => ({ success: false, error: "The database is away" }) }),
  ...(options.deep === "yes" ? [ability({ name: "content/deep", meta: { deep: nest(1_500) } })] : []),
  ability({ name: "content/private", meta: { mcp: { public: false } } }),
  ...Array.from({ length: Number(options.abilities) }, (_, at) =>
    ability({
      name: `bulk/ability-${String(at).padStart(4, "0")}`,
      input_schema: {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 8 }, (_, key) => [
            `key_${key}`,
            { type: "string", description: "One of eight." },
          ]),
        ),
      },
    }),
  ),
];
const shown = abilities.filter(({ meta }) => meta.mcp.public);

/** @param {any} schema @param {"input" | "result"} wrapper */
function project(schema, wrapper) {
  const isWrapped = schema.type !== undefined && schema.type !== "object";
  if (isWrapped) return { type: "object", properties: { [wrapper]: schema }, required: [wrapper] };
  if (!isNew) return schema;
  const { properties, required } = schema;
  return {
    type: "object",
    ...(properties && !Array.isArray(properties) && { properties }),
    ...(required && { required }),
  };
}

/** @param {Ability} ability */
function toTool({ name, label, description, input_schema, output_schema, meta }) {
  const { readonly, destructive, idempotent } = meta.annotations;
  const hints =
    readonly === null
      ? undefined
      : { title: label, readOnlyHint: readonly, destructiveHint: destructive, idempotentHint: idempotent };
  return {
    name: name.replaceAll("/", "-"),
    ...(isNew ? { title: label } : { type: "action" }),
    description,
    inputSchema: project(
      input_schema ?? (isNew ? { type: "object" } : { type: "object", additionalProperties: false }),
      "input",
    ),
    ...(output_schema && { outputSchema: project(output_schema, "result") }),
    ...(hints && { annotations: hints }),
  };
}

const META_TOOLS = ["discover-abilities", "get-ability-info", "execute-ability"].map((name) => ({
  name: `mcp-adapter-${name}`,
  description: "A tool of the adapter.",
  inputSchema: { type: "object" },
}));

/** @param {unknown} value */
function structured(value) {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}

/** @param {string} text */
function failed(text) {
  return { content: [{ type: "text", text }], isError: true };
}

/** @param {string} name */
function findShown(name) {
  return shown.find((ability) => ability.name === name);
}

/** @param {string} name @param {any} args */
function callMetaTool(name, args) {
  if (name === "mcp-adapter-discover-abilities") {
    return structured({
      abilities: shown.map(({ name, label, description }) => ({ name, label, description })),
    });
  }
  const ability = findShown(args.ability_name);
  if (ability === undefined)
    return failed(`Ability "${args.ability_name}" is not exposed via MCP (mcp.public!=true)`);
  if (name === "mcp-adapter-get-ability-info") {
    // Neither the category nor the callbacks are returned.
    const info = { ...ability, category: undefined, run: undefined };
    return structured({ ...info, input_schema: info.input_schema ?? [] });
  }
  try {
    const data = /** @type {any} */ (ability.run(args.parameters));
    return structured(data?.success === false ? data : { success: true, data });
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string} name @param {any} args */
function callTool(name, args) {
  const ability = abilities.find((candidate) => candidate.name.replaceAll("/", "-") === name);
  if (ability === undefined) throw new RpcError(-32003, `Tool not found: ${name}`);
  const isWrapped = ability.input_schema?.type === "array";
  try {
    const data = ability.run(isWrapped ? args.input : args);
    return structured(typeof data === "object" && !Array.isArray(data) ? data : { result: data });
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** @returns {Promise<void>} */
const sleep = () => new Promise((resolve) => setTimeout(resolve, latency));

/** Returns the answer of the REST API for a route; undefined if it has none. @param {string} route @param {URLSearchParams} query @param {boolean} isKnown */
function answerRest(route, query, isKnown) {
  if (route === "/") {
    return {
      body: {
        name: "Fixture",
        namespaces: ["wp/v2", "wp-abilities/v1", ...(NO_NAMESPACE.includes(options.problem) ? [] : ["mcp"])],
        routes: {
          "/wp/v2": {},
          ...(options.problem === "default-server-off" && {
            "/shop/v1": {},
            "/shop/v1/mcp": {},
            "/shop/v1/mcp/(?P<id>.+)": {},
          }),
        },
        authentication: options.problem === "insecure" ? [] : { "application-passwords": {} },
      },
    };
  }
  if (route === "/wp/v2/users/me") {
    const code = options.problem === "refused" ? "incorrect_password" : "rest_not_logged_in";
    return isKnown
      ? { body: { id: 1 } }
      : { status: 401, body: { code, message: "No.", data: { status: 401 } } };
  }
  if (options.rest === "closed" || !isKnown) {
    return { status: 401, body: { code: "rest_forbidden", message: "No.", data: { status: 401 } } };
  }
  if (route === "/wp/v2/settings")
    return { body: { language: options.locale === "en_US" ? "" : options.locale } };
  if (route !== "/wp-abilities/v1/abilities") return undefined;
  const listed = abilities.filter(({ name }) => options.rest !== "partial" || name !== "content/get-post");
  const size = Number(query.get("per_page"));
  const page = Number(query.get("page") ?? 1);
  const body = listed.slice((page - 1) * size, page * size).map((ability) => ({
    ...ability,
    run: undefined,
    input_schema: ability.input_schema ?? [],
    output_schema: ability.output_schema ?? [],
    _links: { self: [{ href: "http://fixture.test/" }] },
  }));
  return { body, headers: { "x-wp-totalpages": String(Math.ceil(listed.length / size)) } };
}

/** @type {Record<string, { status: number, type: string, body: string }>} */
const BROKEN = {
  "php-error": {
    status: 500,
    type: "text/html",
    body: "<br />\n<b>Fatal error</b>:  Uncaught Error: Call to undefined function foo() in /srv/wp/plugin.php:12",
  },
  "php-notice": {
    status: 200,
    type: "text/html",
    body: '<br />\n<b>Warning</b>:  Undefined array key "id" in /srv/wp/plugin.php:12<br />\n{"jsonrpc":"2.0","id":1}',
  },
  "critical-error": {
    status: 500,
    type: "application/json",
    body: JSON.stringify({ code: "internal_server_error", message: ERROR_PAGE, data: { status: 500 } }),
  },
  "login-page": {
    status: 200,
    type: "text/html",
    body: '<!DOCTYPE html><title>Log In</title><form id="loginform"><input type="password"></form>',
  },
};

/** Problems that the REST API shows. */
const REFUSALS = ["refused", "stripped", "insecure", "unknown"];
const WRONG_PATH = ["no-adapter", "no-server", "default-server-off"];
const NO_NAMESPACE = ["no-adapter", "default-server-off"];

serve(
  {
    name: "wordpress",
    title: "Fixture",
    http: (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
      const plain = searchParams.get("rest_route");
      if (options.problem === "plain-permalinks" && plain === null) {
        response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not Found</h1>");
        return true;
      }
      if (options.problem === "redirect" && pathname !== "/wp-login.php") {
        response.writeHead(302, { location: "/wp-login.php" }).end();
        return true;
      }
      const broken = BROKEN[options.problem === "redirect" ? "login-page" : options.problem];
      if (broken) {
        response.writeHead(broken.status, { "content-type": broken.type }).end(broken.body);
        return true;
      }
      const route = plain ?? pathname.slice("/wp-json".length);
      if (options.problem === "rest-closed") {
        const message = "Only authenticated users can access the REST API.";
        respondJson(response, 401, { code: "rest_cannot_access", message, data: { status: 401 } });
        return true;
      }
      const isRefused = REFUSALS.includes(options.problem);
      if (!route.startsWith("/mcp/") && route !== "/woocommerce/mcp") {
        const isKnown = !isRefused && request.headers.authorization !== undefined;
        const {
          status = 200,
          body,
          headers = {},
        } = answerRest(route, searchParams, isKnown) ?? {
          status: 404,
          body: { code: "rest_no_route", message: "No route was found.", data: { status: 404 } },
        };
        setTimeout(() => {
          response.writeHead(status, { "content-type": "application/json", ...headers });
          response.end(JSON.stringify(body).replaceAll("/", "\\/"));
        }, latency);
        return true;
      }
      if (isRefused || options.problem === "forbidden") {
        const message = "Sorry, you are not allowed to do that.";
        const status = isRefused ? 401 : 403;
        respondJson(response, status, { code: "rest_forbidden", message, data: { status } });
        return true;
      }
      if (options.problem === "firewall") {
        response.writeHead(403, { "content-type": "text/html" }).end("<html><h1>Request blocked</h1></html>");
        return true;
      }
      if (WRONG_PATH.includes(options.problem)) {
        respondJson(response, 404, {
          code: "rest_no_route",
          message: "No route was found.",
          data: { status: 404 },
        });
        return true;
      }
      if (options.problem === "session-dropped" && request.headers["mcp-session-id"] !== undefined) {
        // A proxy removes the header of requests. The adapter answers with the ID of the request.
        let body = "";
        request.on("data", (chunk) => (body += String(chunk)));
        request.on("end", () => {
          const { id = null } = JSON.parse(body || "{}");
          const error = { code: -32600, message: "Invalid Request: Missing Mcp-Session-Id header" };
          respondJson(response, 400, { jsonrpc: "2.0", id, error });
        });
        return true;
      }
      if (options.problem === "session-stripped") {
        // A proxy removes the header in both directions.
        if (request.headers["mcp-protocol-version"] === undefined) {
          const writeHead = response.writeHead.bind(response);
          response.writeHead = (/** @type {number} */ status) =>
            writeHead(status, { "content-type": "application/json" });
          return false;
        }
        const error = { code: -32600, message: "Invalid Request: Missing Mcp-Session-Id header" };
        respondJson(response, 400, { jsonrpc: "2.0", id: null, error });
        return true;
      }
      return false;
    },
    list: async () => {
      await sleep();
      return {
        tools:
          options.server === "default"
            ? META_TOOLS.slice(0, Number(options.metatools))
            : abilities.map(toTool),
      };
    },
    call: async (params) => {
      await sleep();
      const { name, arguments: args = {} } = /** @type {{ name: string, arguments?: any }} */ (params);
      return options.server === "default" ? callMetaTool(name, args) : callTool(name, args);
    },
  },
  options,
);
