// Answers like a WordPress with the MCP adapter: --server default has the three meta-tools, custom has the abilities as
// tools; --adapter 0.4 or 0.5; --rest open, closed or partial; --latency in milliseconds; --abilities adds abilities;
// --locale of the texts; --public none hides all; --deep yes adds one that is nested too deeply; --metatools is how many of them are
// listed; --problem of the site.
import { text as readBody } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { URL } from "node:url";
import { RpcError, textResult } from "./raw-server.js";

export const WORDPRESS_FLAGS = {
  ...{ server: "default", adapter: "0.5", rest: "open", latency: "0", abilities: "0", locale: "en_US" },
  ...{ public: "some", problem: "none", deep: "no", metatools: "3" },
};

/** @typedef {{ name: string, label: string, description: string, category: string, input_schema?: any, output_schema?: any, meta: any, run: (input: any) => unknown }} Ability */

const ERROR_PAGE =
  "<p>There has been a critical error on this website.</p><p>Learn more about WordPress.</p>";
const LOGIN_PAGE = '<!DOCTYPE html><title>Log In</title><form id="loginform"><input type="password"></form>';

/** What every request gets. @type {Record<string, [status: number, type: string, body: string]>} */
const BROKEN = {
  "php-error": [500, "text/html", "<br />\n<b>Fatal error</b>:  Uncaught Error: Call to undefined function foo() in /srv/wp/plugin.php:12"],
  "php-notice": [200, "text/html", '<br />\n<b>Warning</b>:  Undefined array key "id" in /srv/wp/plugin.php:12<br />\n{"jsonrpc":"2.0","id":1}'],
  "critical-error": [500, "application/json", JSON.stringify({ code: "internal_server_error", message: ERROR_PAGE, data: { status: 500 } })],
  "login-page": [200, "text/html", LOGIN_PAGE],
  "rest-closed": [401, "application/json", JSON.stringify({ code: "rest_cannot_access", message: "Only authenticated users can access the REST API.", data: { status: 401 } })],
}; // prettier-ignore

/** Problems that the REST API shows. */
const REFUSALS = ["refused", "stripped", "insecure", "unknown"];
const NO_NAMESPACE = ["no-adapter", "default-server-off"];
const NO_ROUTE = { code: "rest_no_route", message: "No route was found.", data: { status: 404 } };

const META_TOOLS = ["discover-abilities", "get-ability-info", "execute-ability"].map((name) => ({
  name: `mcp-adapter-${name}`,
  description: "A tool of the adapter.",
  inputSchema: { type: "object" },
}));

/** @param {unknown} value */
const structured = (value) => ({ ...textResult(JSON.stringify(value)), structuredContent: value });
/** @param {string} text */
const failed = (text) => ({ ...textResult(text), isError: true });
/** Returns what an ability returns; an error is one of the tool. @param {() => object} run */
function attempt(run) {
  try {
    return run();
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** @param {(english: string, german: string) => string} translate @returns {Partial<Ability>[]} */
function contentAbilities(translate) {
  const status = { type: "string", enum: ["draft", "publish"] };
  const POST = {
    type: "object",
    properties: {
      id: { type: "integer", description: translate("Post ID", "Nummer des Beitrags") },
      title: { type: "string" },
      status,
      excerpt: { type: ["string", "null"] },
    },
    required: ["id", "title", "status"],
    additionalProperties: false,
  };
  /** @type {Map<number, { id: number, title: string, status: string, excerpt: string | null }>} */
  const posts = new Map([[1, { id: 1, title: "Hello", status: "publish", excerpt: null }]]);
  return [
    {
      name: "content/get-post",
      label: translate("Get post", "Beitrag holen"),
      description: translate("Fetches one post.", "Holt einen Beitrag."),
      input_schema: { type: "object", properties: { id: { type: "integer", minimum: 1 } }, required: ["id"] },
      output_schema: POST,
      meta: { annotations: { readonly: true, destructive: false, idempotent: true } },
      run: ({ id }) => {
        if (!posts.has(id)) throw new Error(`No post ${id}`);
        return posts.get(id);
      },
    },
    {
      name: "content/list-posts",
      category: "reading",
      input_schema: {
        type: "object",
        properties: { per_page: { type: "integer", default: 10, required: false } },
        default: [],
      },
      output_schema: { type: "array", items: POST },
      run: () => [...posts.values()],
    },
    {
      name: "content/create-post",
      input_schema: {
        type: "object",
        properties: { title: { type: "string", required: true }, status },
        additionalProperties: false,
      },
      output_schema: POST,
      run: ({ title, status = "draft" }) => {
        const post = { id: posts.size + 1, title, status, excerpt: null };
        posts.set(post.id, post);
        return post;
      },
    },
    {
      name: "content/delete-posts",
      input_schema: { type: "array", items: { type: "integer" } },
      output_schema: { type: "boolean" },
      run: (ids) => ids.every((/** @type {number} */ id) => posts.delete(id)),
    },
    { name: "content/count", run: () => 42 },
    {
      name: "content/empty",
      input_schema: { type: "object", properties: [] },
      output_schema: { type: "object" },
      run: () => [],
    },
    { name: "content/fails-softly", run: () => ({ success: false, error: "The database is away" }) },
  ];
}

/** @param {Record<string, string>} options @returns {import("./raw-server.js").Behaviour} */
export function wordpress({ problem = "", ...options }) {
  const isNew = options.adapter !== "0.4";
  const isDefault = options.server === "default";
  const latency = Number(options.latency);

  /** @param {Partial<Ability>} ability @returns {Ability} */
  const complete = ({ name = "", meta, ...more }) => ({
    name,
    label: name,
    description: `Does what ${name} says.`,
    category: name.split("/")[0] ?? "",
    run: (input) => input,
    ...more,
    meta: {
      annotations: { readonly: null, destructive: null, idempotent: null },
      show_in_rest: true,
      ...meta,
      mcp: { public: options.public !== "none" && name !== "content/private" },
    },
  });
  /** @type {unknown} */
  let deep = {};
  for (let depth = 0; depth < 1_500; depth += 1) deep = { value: deep };
  const eight = Array.from({ length: 8 }, (_, key) => [
    `key_${key}`,
    { type: "string", description: "One of eight." },
  ]);
  const input_schema = { type: "object", properties: Object.fromEntries(eight) };
  const abilities = [
    ...contentAbilities((english, german) => (options.locale === "de_DE" ? german : english)),
    ...(options.deep === "yes" ? [{ name: "content/deep", meta: { deep } }] : []),
    { name: "content/private" },
    ...Array.from({ length: Number(options.abilities) }, (_, at) => ({
      name: `bulk/ability-${String(at).padStart(4, "0")}`,
      input_schema,
    })),
  ].map(complete);
  const shown = abilities.filter(({ meta }) => meta.mcp.public);

  /** @param {any} schema @param {"input" | "result"} wrapper */
  function project(schema, wrapper) {
    if (schema.type !== undefined && schema.type !== "object")
      return { type: "object", properties: { [wrapper]: schema }, required: [wrapper] };
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
    const hints = { readOnlyHint: readonly, destructiveHint: destructive, idempotentHint: idempotent };
    const empty = { type: "object", ...(!isNew && { additionalProperties: false }) };
    return {
      name: name.replaceAll("/", "-"),
      ...(isNew ? { title: label } : { type: "action" }),
      description,
      inputSchema: project(input_schema ?? empty, "input"),
      ...(output_schema && { outputSchema: project(output_schema, "result") }),
      ...(readonly !== null && { annotations: { title: label, ...hints } }),
    };
  }

  /** @param {string} name @param {any} args */
  function callMetaTool(name, args) {
    if (name === "mcp-adapter-discover-abilities")
      return structured({
        abilities: shown.map(({ name, label, description }) => ({ name, label, description })),
      });
    const ability = shown.find(({ name }) => name === args.ability_name);
    if (ability === undefined)
      return failed(`Ability "${args.ability_name}" is not exposed via MCP (mcp.public!=true)`);
    // Neither the category nor the callbacks are returned.
    if (name === "mcp-adapter-get-ability-info")
      return structured({ input_schema: [], ...ability, category: undefined, run: undefined });
    return attempt(() => {
      const data = /** @type {any} */ (ability.run(args.parameters));
      return structured(data?.success === false ? data : { success: true, data });
    });
  }

  /** @param {string} name @param {any} args */
  function callTool(name, args) {
    const ability = abilities.find((each) => each.name.replaceAll("/", "-") === name);
    if (ability === undefined) throw new RpcError(-32003, `Tool not found: ${name}`);
    return attempt(() => {
      const data = ability.run(ability.input_schema?.type === "array" ? args.input : args);
      return structured(typeof data === "object" && !Array.isArray(data) ? data : { result: data });
    });
  }

  /** Returns the answer of the REST API for a route. @param {string} route @param {URLSearchParams} query @param {boolean} isKnown @returns {[status: number, body: object, headers?: object]} */
  function answerRest(route, query, isKnown) {
    const refused = (code = "rest_forbidden") => ({ code, message: "No.", data: { status: 401 } });
    const shop = { "/shop/v1": {}, "/shop/v1/mcp": {}, "/shop/v1/mcp/(?P<id>.+)": {} };
    if (route === "/")
      return [
        200,
        {
          name: "Fixture",
          namespaces: ["wp/v2", "wp-abilities/v1", ...(NO_NAMESPACE.includes(problem) ? [] : ["mcp"])],
          routes: { "/wp/v2": {}, ...(problem === "default-server-off" && shop) },
          authentication: problem === "insecure" ? [] : { "application-passwords": {} },
        },
      ];
    if (route === "/wp/v2/users/me" && isKnown) return [200, { id: 1 }];
    if (route === "/wp/v2/users/me")
      return [401, refused(problem === "refused" ? "incorrect_password" : "rest_not_logged_in")];
    if (options.rest === "closed" || !isKnown) return [401, refused()];
    if (route === "/wp/v2/settings")
      return [200, { language: options.locale === "en_US" ? "" : options.locale }];
    if (route !== "/wp-abilities/v1/abilities") return [404, NO_ROUTE];
    const listed = abilities.filter(({ name }) => options.rest !== "partial" || name !== "content/get-post");
    const size = Number(query.get("per_page"));
    const page = Number(query.get("page") ?? 1);
    const body = listed.slice((page - 1) * size, page * size).map((ability) => ({
      ...{ input_schema: [], output_schema: [], ...ability, run: undefined },
      _links: { self: [{ href: "http://fixture.test/" }] },
    }));
    return [200, body, { "x-wp-totalpages": String(Math.ceil(listed.length / size)) }];
  }

  /** Answers what does not reach the MCP server; returns whether it did. @type {NonNullable<import("./raw-server.js").Behaviour["http"]>} */
  function respond(request, response) {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const plain = searchParams.get("rest_route");
    /** @param {number} status @param {string} type @param {string} body */
    const send = (status, type, body) => {
      response.writeHead(status, { "content-type": type }).end(body);
      return true;
    };
    /** @param {number} status @param {object} body */
    const sendJson = (status, body) => send(status, "application/json", JSON.stringify(body));
    const notAllowed = "Sorry, you are not allowed to do that.";
    const missing = { code: -32600, message: "Invalid Request: Missing Mcp-Session-Id header" };

    if (problem === "plain-permalinks" && plain === null) return send(404, "text/html", "<h1>Not Found</h1>");
    if (problem === "redirect" && pathname !== "/wp-login.php") {
      response.writeHead(302, { location: "/wp-login.php" }).end();
      return true;
    }
    const broken = BROKEN[problem === "redirect" ? "login-page" : problem];
    if (broken) return send(...broken);
    const route = plain ?? pathname.slice("/wp-json".length);
    const isRefused = REFUSALS.includes(problem);
    if (!route.startsWith("/mcp/") && route !== "/woocommerce/mcp") {
      const isKnown = !isRefused && request.headers.authorization !== undefined;
      const [status, body, headers = {}] = answerRest(route, searchParams, isKnown);
      void setTimeout(latency).then(() => {
        response.writeHead(status, { "content-type": "application/json", ...headers });
        response.end(JSON.stringify(body).replaceAll("/", "\\/"));
      });
      return true;
    }
    if (isRefused || problem === "forbidden") {
      const status = isRefused ? 401 : 403;
      return sendJson(status, { code: "rest_forbidden", message: notAllowed, data: { status } });
    }
    if (problem === "firewall") return send(403, "text/html", "<html><h1>Request blocked</h1></html>");
    if ([...NO_NAMESPACE, "no-server"].includes(problem)) return sendJson(404, NO_ROUTE);
    if (problem === "session-dropped" && request.headers["mcp-session-id"] !== undefined) {
      // A proxy removes the header of requests. The adapter answers with the ID of the request.
      void readBody(request).then((body) => {
        const { id = null } = JSON.parse(body || "{}");
        sendJson(400, { jsonrpc: "2.0", id, error: missing });
      });
      return true;
    }
    if (problem !== "session-stripped") return false;
    // A proxy removes the header in both directions.
    if (request.headers["mcp-protocol-version"] !== undefined)
      return sendJson(400, { jsonrpc: "2.0", id: null, error: missing });
    const writeHead = response.writeHead.bind(response);
    response.writeHead = (/** @type {number} */ status) =>
      writeHead(status, { "content-type": "application/json" });
    return false;
  }

  return {
    name: "wordpress",
    title: "Fixture",
    http: respond,
    list: async () => {
      await setTimeout(latency);
      return { tools: isDefault ? META_TOOLS.slice(0, Number(options.metatools)) : abilities.map(toTool) };
    },
    call: async ({ name, arguments: args = {} }) => {
      await setTimeout(latency);
      return isDefault ? callMetaTool(name, args) : callTool(name, args);
    },
  };
}
