/** Why a scenario of the conformance suite is not run. */
const NOT_OURS = {
  dpop: "we send bearer tokens only",
  enterprise: "needs an identity provider of a company",
  workload: "needs an identity of the workload's platform",
  oldLogin: "revision 2025-03-26 only: servers without metadata",
} as const;

/**
 * The scenarios of the conformance suite for clients. `true`: passes. A text: why it does not apply. The suite marks
 * scenarios of extensions.
 */
export const CLIENT_SCENARIOS: { readonly [scenario: string]: true | string } = {
  initialize: true,
  tools_call: true,
  "sse-retry": true,
  "request-metadata": true,
  "http-standard-headers": true,
  "http-invalid-tool-headers": true,
  "json-schema-ref-no-deref": true,
  "json-schema-2020-12-preservation": true,
  "auth/dpop": NOT_OURS.dpop,
  "auth/dpop-nonce": NOT_OURS.dpop,
  "auth/enterprise-managed-authorization": NOT_OURS.enterprise,
  "auth/wif-jwt-bearer": NOT_OURS.workload,
  "auth/2025-03-26-oauth-metadata-backcompat": NOT_OURS.oldLogin,
  "auth/2025-03-26-oauth-endpoint-fallback": NOT_OURS.oldLogin,
};
