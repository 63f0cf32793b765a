import { IssuerMismatchError, OAuthError, RegistrationRejectedError } from "@modelcontextprotocol/client";
import { McpCodegenError } from "../../contract/errors.js";
import type { HttpEndpoint } from "../endpoint.js";

/**
 * Returns `LOGIN_FAILED` for an error of the SDK or the network. Messages of the SDK quote answers, which may hold
 * tokens, so only codes are kept.
 */
export function loginFailed(endpoint: HttpEndpoint, what: string, error: unknown): McpCodegenError {
  if (error instanceof McpCodegenError) return error;
  const message = `${what} for the server at ${JSON.stringify(endpoint.label)}: ${reasonOf(error)}.`;
  return new McpCodegenError("LOGIN_FAILED", message, { hint: hintOf(error) });
}

/** Returns the code of an OAuth error; undefined for another error, or if it is not a code (RFC 6749, section 5.2). */
export function oauthCodeOf(error: unknown): string | undefined {
  return error instanceof OAuthError && /^[a-z_]{1,60}$/.test(error.code) ? error.code : undefined;
}

function reasonOf(error: unknown): string {
  const code = oauthCodeOf(error);
  if (code !== undefined) return `it answered ${JSON.stringify(code)}`;
  if (error instanceof IssuerMismatchError) return "the issuer does not match";
  if (error instanceof RegistrationRejectedError)
    return `it rejected the registration (HTTP ${error.status})`;
  if (!(error instanceof Error)) return "unknown error";
  if (error.name === "TimeoutError") return "no answer in time";
  if (/dynamic client registration/i.test(error.message)) return "it registers no clients";
  if (/does not match expected/.test(error.message)) return "its metadata names another resource";
  if (/token endpoint/i.test(error.message)) return "its token endpoint does not use HTTPS";
  if (error instanceof TypeError) return "it cannot be reached";
  return "its answer is not valid";
}

function hintOf(error: unknown): string {
  const code = oauthCodeOf(error);
  if (code === "invalid_client" || code === "unauthorized_client")
    return "Check auth.clientId and auth.clientSecret.";
  if (code === "invalid_scope") return "Check auth.scopes.";
  if (
    error instanceof RegistrationRejectedError ||
    /registration/i.test(error instanceof Error ? error.message : "")
  )
    return "Register a client at the authorization server, and set auth.clientId.";
  return "Check the url, and look at the log of the authorization server.";
}
