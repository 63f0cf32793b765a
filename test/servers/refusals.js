const LOGIN_PAGE =
  '<!DOCTYPE html>\n<html><head><title>Log In</title></head><body><form id="loginform"></form></body></html>';
const PHP_ERROR =
  "<br />\n<b>Fatal error</b>:  Uncaught Error: Call to undefined function foo() in <b>/srv/wp.php</b><br />";
const NOT_ALLOWED =
  '{"code":"rest_forbidden","message":"Sorry, you are not allowed to do that.","data":{"status":401}}';
const JSON_TYPE = "application/json";

/** Answers that are not MCP. @type {Record<string, [status: number, type: string, body: string, headers?: Record<string, string>]>} */
export const REFUSALS = {
  unauthorized: [401, JSON_TYPE, NOT_ALLOWED],
  "oauth-required": [401, JSON_TYPE, '{"error":"invalid_token"}', { "www-authenticate": 'Bearer resource_metadata="http://127.0.0.1:1/.well-known/oauth-protected-resource"' }],
  forbidden: [403, "text/plain", "Forbidden"],
  "not-found": [404, JSON_TYPE, '{"code":"rest_no_route","message":"No route was found."}'],
  "login-page": [200, "text/html; charset=utf-8", LOGIN_PAGE],
  redirect: [302, "text/html", "", { location: "/wp-login.php" }],
  "error-500": [500, "text/plain", "Internal Server Error"],
  "error-503": [503, "text/html", "<h1>Briefly unavailable for scheduled maintenance.</h1>"],
  "php-error": [200, JSON_TYPE, `${PHP_ERROR}{"jsonrpc":"2.0","id":0,"result":{}}`],
  garbage: [200, JSON_TYPE, "]{ not json"],
  empty: [200, JSON_TYPE, ""],
}; // prettier-ignore
