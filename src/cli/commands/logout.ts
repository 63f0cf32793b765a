import type { Runner } from "../context.js";
import { findLoginTarget } from "../login/find-login-target.js";
import { openLogins } from "../login/open-logins.js";

/** Deletes the tokens of a login. They are deleted even if the authorization server cannot revoke them. */
export const runLogout: Runner<"logout"> = async (context, [server = ""], options) => {
  const { endpoint } = await findLoginTarget(context, server, options.env);
  const { store } = openLogins(context.io);
  const login = await store.find(endpoint.url);
  if (login !== undefined) await store.remove(login);
  const revoked =
    login !== undefined &&
    (await (await import("../../transport/oauth/saved-login.js")).revokeLogin(endpoint, login));
  const name = JSON.stringify(server);
  context.print([
    login === undefined
      ? `You are not logged in to ${name}.`
      : `Logged out of ${name}. ${revoked ? "The tokens are revoked." : "The tokens are deleted here; the authorization server did not revoke them."}`,
  ]);
  context.printDocument({
    report: "logout",
    exitCode: 0,
    server,
    wasLoggedIn: login !== undefined,
    revoked,
  });
  return 0;
};
