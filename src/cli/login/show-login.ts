import type { Login } from "../../contract/login.js";
import { oneLine } from "../../contract/one-line.js";
import type { ShownLogin } from "../../report/documents.js";

/** Returns a login without its tokens. Its texts are those of servers. */
export function showLogin(login: Login, servers: readonly string[]): ShownLogin {
  const { resource, issuer, subject, clientId, expiresAt, refreshToken } = login;
  const required = [...new Set([...login.scopes, ...(login.callScopes ?? [])])];
  const granted = new Set(login.grantedScopes ?? required);
  const missing = required.filter((scope) => !granted.has(scope));
  const show = (scope: string): string => oneLine(scope, 200);
  return {
    servers,
    resource: oneLine(resource, 300),
    issuer: oneLine(issuer, 300),
    ...(subject !== undefined && { subject: oneLine(subject, 100) }),
    client: oneLine(clientId, 300),
    scopes: required.filter((scope) => granted.has(scope)).map(show),
    ...(missing.length > 0 && { missingScopes: missing.map(show) }),
    ...(expiresAt !== undefined && { expires: new Date(expiresAt).toISOString() }),
    refreshable: refreshToken !== undefined,
  };
}

/** Returns the lines that describe a login. */
export function printLogin(login: ShownLogin, now: number): readonly string[] {
  const {
    servers,
    resource,
    issuer,
    subject,
    client,
    scopes,
    missingScopes = [],
    expires,
    refreshable,
  } = login;
  const row = (label: string, text: string): string => `  ${label.padEnd(8)} ${text}`;
  return [
    servers.length === 0 ? resource : `${servers.join(", ")} (${resource})`,
    row("issuer", issuer),
    ...(subject === undefined ? [] : [row("account", subject)]),
    row("client", client),
    row("scopes", scopes.length === 0 ? "none" : scopes.join(" ")),
    ...(missingScopes.length === 0
      ? []
      : [row("missing", `${missingScopes.join(" ")}: the next login requests them`)]),
    row("token", `${printExpiry(expires, now)}${refreshable ? ", refreshed automatically" : ""}`),
  ];
}

function printExpiry(expires: string | undefined, now: number): string {
  if (expires === undefined) return "no end known";
  const minutes = Math.floor((Date.parse(expires) - now) / 60_000);
  if (minutes < 0) return "expired";
  if (minutes < 1) return "less than 1 min left";
  if (minutes < 120) return `${minutes} min left`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h left` : `${Math.floor(minutes / 1440)} days left`;
}
