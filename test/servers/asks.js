import { setTimeout } from "node:timers";
import { plainTool, RpcError, textResult } from "./raw-server.js";

/**
 * "ask" asks what its arguments say, and answers with what it got:
 *   rounds: a list of rounds, each with requests by key. In the legacy era the requests of a round are sent at once.
 *   strict: whether a refused question fails the call. late: asks once more after the call has ended. silent: never answers.
 *   needs: the capabilities that the client must have declared (-32021).
 *   visit: the addresses that must be visited before the call (-32042). completes: reports visits as complete.
 *   otherEra: asks as a server of the other era does.
 * "log" returns every answer and call that arrived.
 */
export function asks() {
  /** @type {any[]} */
  const log = [];
  /** @type {Map<string, (message: any) => void>} */
  const waiting = new Map();
  const visited = new Set();

  /** @param {(message: any) => void} send @param {any} request @returns {Promise<any>} */
  function ask(send, { method = "elicitation/create", params }) {
    const id = `question-${waiting.size + 1}`;
    const answered = new Promise((resolve) => waiting.set(id, resolve));
    send({ jsonrpc: "2.0", id, method, params });
    return answered;
  }

  /** @type {import("./raw-server.js").Handler} */
  async function callLegacy(
    { arguments: given, inputResponses, requestState },
    { clientCapabilities, send },
  ) {
    const { rounds = [], strict, late, visit, completes, silent } = given;
    log.push({ inputResponses, requestState });
    if (visit && !visited.has(JSON.stringify(visit))) {
      visited.add(JSON.stringify(visit));
      const method = "notifications/elicitation/complete";
      for (const { elicitationId } of completes ? visit : [])
        setTimeout(() => send({ jsonrpc: "2.0", method, params: { elicitationId } }), 50);
      throw new RpcError(-32042, "Visit these first.", { elicitations: visit });
    }
    const answers = [];
    for (const round of rounds) {
      const got = Object.entries(round).map(async ([key, request]) => [key, await ask(send, request)]);
      answers.push(Object.fromEntries(await Promise.all(got)));
    }
    if (silent) return undefined;
    if (late) setTimeout(() => void ask(send, late).then((answer) => log.push({ late: answer })), 20);
    const isRefused = answers.some((round) => Object.values(round).some(({ error }) => error !== undefined));
    const result = textResult(JSON.stringify({ answers, clientCapabilities }));
    return strict && isRefused ? { ...result, isError: true } : result;
  }

  /** @type {import("./raw-server.js").Handler} */
  function callModern({ arguments: given, inputResponses, requestState }, { clientCapabilities }) {
    const { rounds = [], endless, stateOnly, needs } = given;
    if (needs) throw new RpcError(-32021, "Missing capabilities", { requiredCapabilities: needs });
    log.push({ inputResponses, requestState });
    const { round = 0, answers = [] } = requestState === undefined ? {} : JSON.parse(requestState);
    const all = inputResponses === undefined ? answers : [...answers, inputResponses];
    const next = endless ? rounds[0] : rounds[round];
    const state = JSON.stringify({ round: round + 1, answers: all, secret: "only the server reads this" });
    if (stateOnly > round) return { resultType: "input_required", requestState: state };
    if (next === undefined) return textResult(JSON.stringify({ answers: all, clientCapabilities }));
    const inputRequests = Object.fromEntries(
      Object.entries(next).map(([key, request]) => [key, { method: "elicitation/create", ...request }]),
    );
    return { resultType: "input_required", inputRequests, requestState: state };
  }

  return {
    capabilities: { tools: {} },
    tools: ["ask", "log"].map((name) => plainTool(name, { inputSchema: { type: "object" } })),
    call: (/** @type {any} */ params, /** @type {import("./raw-server.js").Connection} */ connection) => {
      if (params.name === "log") return textResult(JSON.stringify(log));
      const { otherEra = false } = params.arguments;
      return (connection.isLegacy !== otherEra ? callLegacy : callModern)(params, connection);
    },
    receive: (/** @type {any} */ { id, result, error }) => {
      log.push({ result, error });
      waiting.get(id)?.(result ?? { error });
    },
  };
}
