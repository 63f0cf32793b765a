import { randomBytes } from "node:crypto";
import { McpCodegenError } from "../../contract/errors.js";
import { isCi, type Runner } from "../context.js";
import { findLoginTarget } from "../login/find-login-target.js";
import { openBrowser } from "../login/open-browser.js";
import { openLogins } from "../login/open-logins.js";
import { listenForAnswer } from "../login/receive-answer.js";
import { printLogin, showLogin } from "../login/show-login.js";

/** Logs in with a browser, and saves the tokens for all commands. */
export const runLogin: Runner<"login"> = async (context, [server = ""], options) => {
  const { io } = context;
  const timeout = readWait(options.wait ?? "300");
  const { store, hint } = openLogins(io);
  if (isCi(io.env) && options.browser !== false) {
    throw new McpCodegenError("USAGE", "A login needs a browser, which CI does not have.", {
      hint: hint(server),
    });
  }
  const [{ name, endpoint }, { beginLogin }] = await Promise.all([
    findLoginTarget(context, server, options.env),
    import("../../transport/oauth/login-flow.js"),
  ]);
  const state = randomBytes(32).toString("base64url");
  const listener = await listenForAnswer(state, endpoint.oauth?.redirectPort);
  try {
    const pending = await beginLogin(endpoint, {
      redirectUrl: listener.url,
      state,
      previous: await store.find(endpoint.url),
    });
    const { authorizationUrl: page } = pending;
    io.stderr.write(
      options.browser === false
        ? `Open this page to log in:\n${page.href}\n`
        : `Opening the login page of ${page.host}. If no browser opens, go to:\n${page.href}\n`,
    );
    if (options.browser !== false) openBrowser(page, io.env);
    const login = await store.save(await pending.finish(await listener.wait(timeout, io.signal)));
    const shown = showLogin(login, /^https?:/i.test(name) ? [] : [name]);
    context.print([`Logged in to ${JSON.stringify(name)}.`, ...printLogin(shown, Date.now())]);
    context.printDocument({ report: "login", exitCode: 0, login: shown });
    return 0;
  } finally {
    listener.close();
  }
};

function readWait(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text) * 1000;
  throw new McpCodegenError("USAGE", `--wait takes a number of seconds from 1, not "${text}".`, {
    hint: "For example: --wait 60.",
  });
}
