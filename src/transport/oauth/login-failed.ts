import { IssuerMismatchError, OAuthError, RegistrationRejectedError } from "@modelcontextprotocol/client";
import { McpCodegenError } from "../../contract/errors.js";
import { oneLine } from "../../contract/one-line.js";
import { replaceSecretShapes } from "../../contract/secret-shapes.js";
import type { HttpEndpoint } from "../endpoint.js";
import { scrubSecrets, secretForms } from "../scrub-secrets.js";

/**
 * Returns `LOGIN_FAILED` for an error of the SDK or the network. Messages of the SDK quote answers, which may hold
 * tokens, so only codes and descriptions are kept.
 *
 * @param sent further secrets that were sent, which the answer may repeat
 */
export function loginFailed(
  endpoint: HttpEndpoint,
  what: string,
  error: unknown,
  sent: readonly string[] = [],
): McpCodegenError {
  if (error instanceof McpCodegenError) return error;
  const secrets = [...endpoint.secrets, ...sent.flatMap(secretForms)];
  const message = `${what} for the server at ${JSON.stringify(endpoint.label)}: ${reasonOf(error, secrets)}.`;
  return new McpCodegenError("LOGIN_FAILED", message, { hint: hintOf(error) });
}

/** Returns the code of an OAuth error; undefined for another error, or if it is not a code (RFC 6749, section 5.2). */
export function oauthCodeOf(error: unknown): string | undefined {
  return error instanceof OAuthError && /^[a-z_]{1,60}$/.test(error.code) ? error.code : undefined;
}

/** Returns the code of an OAuth error with the server's description. */
export function describeOAuthError(error: unknown, secrets: readonly string[]): string {
  const code = oauthCodeOf(error) ?? "an unknown error";
  // For an answer that is not an OAuth error, the SDK quotes all of it.
  const isQuote =
    error instanceof Error && /^(?:HTTP \d+: )?Invalid OAuth error response/.test(error.message);
  const text = error instanceof OAuthError && !isQuote && error.message !== code ? error.message : "";
  return `it answered ${JSON.stringify(code)}${cleanDescription(text, secrets)}`;
}

/** Returns the `error_description` of a server as the end of a sentence, without secrets, and cut; empty for an empty one. */
export function cleanDescription(text: string, secrets: readonly string[]): string {
  const shown = oneLine(replaceSecretShapes(scrubSecrets(text, secrets), "***"), 300);
  return shown === "" ? "" : `, and wrote ${JSON.stringify(shown)}`;
}

function reasonOf(error: unknown, secrets: readonly string[]): string {
  if (oauthCodeOf(error) !== undefined) return describeOAuthError(error, secrets);
  if (error instanceof IssuerMismatchError) return "the issuer does not match";
  if (error instanceof RegistrationRejectedError)
    return `it rejected the registration (HTTP ${error.status})`;
  if (!(error instanceof Error)) return "unknown error";
  if (error.name === "TimeoutError") return "no answer in time";
  if (/dynamic client registration/i.test(error.message)) return "it registers no clients";
  if (/token endpoint/i.test(error.message)) return "its token endpoint does not use HTTPS";
  if (error instanceof TypeError) return "it cannot be reached";
  const member = memberOf(error);
  return member === undefined
    ? "its answer is not valid"
    : `its answer has no valid ${JSON.stringify(member)}`;
}

/** Returns the member that the SDK's schema refused. */
function memberOf(error: Error): string | undefined {
  const [issue] = "issues" in error && isList(error.issues) ? error.issues : [];
  const path = typeof issue === "object" && issue !== null && "path" in issue ? issue.path : [];
  const [member] = isList(path) ? path : [];
  return typeof member === "string" ? member : undefined;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function hintOf(error: unknown): string {
  const code = oauthCodeOf(error);
  if (code === "invalid_client" || code === "unauthorized_client")
    return "Check auth.clientId and auth.clientSecret.";
  if (code === "invalid_scope") return "Check auth.scopes.";
  if (code === "invalid_target")
    return "Set auth.resource to the resource that it expects, or to false to name none.";
  if (
    error instanceof RegistrationRejectedError ||
    /registration/i.test(error instanceof Error ? error.message : "")
  )
    return "Register a client at the authorization server, and set auth.clientId.";
  return "Check the url, and look at the log of the authorization server.";
}
