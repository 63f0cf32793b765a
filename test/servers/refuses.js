// Answers every request with something that is not MCP, named by --how. Over stdio, use only json-rpc-error, garbage
// and silence.
import process from "node:process";
import { readOptions, respondJson, RpcError, serve } from "./raw-server.js";

const options = readOptions({ how: "unauthorized" });

const LOGIN_PAGE =
  '<!DOCTYPE html>\n<html><head><title>Log In</title></head><body><form id="loginform"></form></body></html>';
const PHP_ERROR =
  "<br />\n<b>Fatal error</b>:  Uncaught Error: Call to undefined function foo() in <b>/srv/wp.php</b><br />";

/** @type {Record<string, { status: number, type: string, body: string, headers?: Record<string, string> }>} */
const ANSWERS = {
  unauthorized: {
    status: 401,
    type: "application/json",
    body: '{"code":"rest_forbidden","message":"Sorry, you are not allowed to do that.","data":{"status":401}}',
  },
  "oauth-required": {
    status: 401,
    type: "application/json",
    body: '{"error":"invalid_token"}',
    headers: {
      "www-authenticate":
        'Bearer resource_metadata="http://127.0.0.1:1/.well-known/oauth-protected-resource"',
    },
  },
  forbidden: { status: 403, type: "text/plain", body: "Forbidden" },
  "not-found": {
    status: 404,
    type: "application/json",
    body: '{"code":"rest_no_route","message":"No route was found."}',
  },
  "login-page": { status: 200, type: "text/html; charset=utf-8", body: LOGIN_PAGE },
  redirect: { status: 302, type: "text/html", body: "", headers: { location: "/wp-login.php" } },
  "error-500": { status: 500, type: "text/plain", body: "Internal Server Error" },
  "error-503": {
    status: 503,
    type: "text/html",
    body: "<h1>Briefly unavailable for scheduled maintenance.</h1>",
  },
  "php-error": {
    status: 200,
    type: "application/json",
    body: `${PHP_ERROR}{"jsonrpc":"2.0","id":0,"result":{}}`,
  },
  garbage: { status: 200, type: "application/json", body: "]{ not json" },
  empty: { status: 200, type: "application/json", body: "" },
};

const answer = ANSWERS[options.how];
if (options.how === "garbage" && options.http === undefined) process.stdout.write("]{ not json\n");

serve(
  {
    name: "refuses",
    http: (request, response) => {
      if (options.how === "silence") return true;
      if (!answer) return false;
      if (options.how === "redirect" && request.url === "/wp-login.php") {
        response.writeHead(200, { "content-type": "text/html" }).end(LOGIN_PAGE);
        return true;
      }
      if (options.how === "garbage" || options.how === "empty")
        respondJson(response, answer.status, answer.body);
      else
        response
          .writeHead(answer.status, { "content-type": answer.type, ...answer.headers })
          .end(answer.body);
      return true;
    },
    methods: {
      initialize: () => {
        if (options.how === "json-rpc-error") throw new RpcError(-32603, "The plugin is not active");
        // No answer and no error.
        return options.how === "silence" || options.how === "garbage"
          ? new Promise(() => undefined)
          : undefined;
      },
    },
    list: () => {
      throw new RpcError(-32603, "Listing is switched off");
    },
  },
  options,
);
