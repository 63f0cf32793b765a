// Answers "build" with a task of the extension io.modelcontextprotocol/tasks, if the request declares it, else with a result.
// The argument "how" says how the task ends: complete, broken, fail, cancel, never, ask, again (asks twice), odd, empty. "log"
// returns the requests for tasks so far. `--interval` is the suggested milliseconds between them.
import { plainTool, readOptions, RpcError, serve, textResult } from "./raw-server.js";

const options = readOptions({ interval: "10", era: "modern" });
const EXTENSION = "io.modelcontextprotocol/tasks";
const TIME = "2026-01-01T00:00:00Z";

/** @type {Map<string, { how: string, polls: number, answers: Record<string, any>, cancelled: boolean }>} */
const tasks = new Map();
/** @type {string[]} */
const log = [];

/** @param {string} key */
const question = (key) => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message: `Which ${key}?`,
    requestedSchema: { type: "object", properties: { [key]: { type: "string" } }, required: [key] },
  },
});

/** @param {string} taskId */
function find(taskId) {
  const task = tasks.get(taskId);
  if (task === undefined) throw new RpcError(-32602, "Task not found");
  return task;
}

/** @param {string} taskId */
function describe(taskId) {
  const { how, polls, answers, cancelled } = find(taskId);
  const asked = how === "ask" ? ["branch"] : how === "again" ? ["branch", "target"] : [];
  const open = asked.filter((key) => answers[key] === undefined);
  const [next] = open;
  const base = {
    taskId,
    createdAt: TIME,
    lastUpdatedAt: TIME,
    ttlMs: 60_000,
    pollIntervalMs: Number(options.interval),
  };
  if (cancelled || how === "cancel") return { ...base, status: "cancelled" };
  if (polls < 2 || how === "never") return { ...base, status: "working" };
  if (next !== undefined)
    return { ...base, status: "input_required", inputRequests: { [next]: question(next) } };
  if (how === "odd") return { ...base, status: "resting" };
  if (how === "fail")
    return { ...base, status: "failed", error: { code: -32603, message: "The disk is full" } };
  if (how === "empty") return { ...base, status: "completed" };
  const given = asked.map((key) => answers[key].content?.[key] ?? answers[key].action).join(" ");
  const result = { ...textResult(`built ${given}`.trim()), isError: how === "broken" };
  return { ...base, status: "completed", result };
}

serve(
  {
    name: "tasks",
    capabilities: { tools: {}, extensions: { [EXTENSION]: {} } },
    list: () => ({
      tools: ["build", "log"].map((name) =>
        plainTool(name, { inputSchema: { type: "object", properties: { how: { type: "string" } } } }),
      ),
    }),
    call: ({ name, arguments: given }, { clientCapabilities }) => {
      if (name === "log") return textResult(log.join(" "));
      const declared = /** @type {any} */ (clientCapabilities).extensions?.[EXTENSION];
      if (declared === undefined) return textResult("built at once");
      const taskId = `task-${tasks.size + 1}`;
      const { how = "complete" } = /** @type {{ how?: string }} */ (given ?? {});
      tasks.set(taskId, { how, polls: 0, answers: {}, cancelled: false });
      return { ...describe(taskId), resultType: "task" };
    },
    methods: {
      "tasks/get": ({ taskId }) => {
        log.push("get");
        find(String(taskId)).polls += 1;
        return describe(String(taskId));
      },
      "tasks/update": ({ taskId, inputResponses }) => {
        log.push("update");
        Object.assign(find(String(taskId)).answers, inputResponses);
        return {};
      },
      "tasks/cancel": ({ taskId }) => {
        log.push("cancel");
        find(String(taskId)).cancelled = true;
        return {};
      },
    },
  },
  options,
);
