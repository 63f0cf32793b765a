// "render" must be called as a task (protocol 2025-11-25, "Tasks"), "preview" may be, "peek" must not be. A task ends
// at poll number --polls; "fail": true makes it fail.
import { plainTool, readOptions, RpcError, serve, textResult } from "./raw-server.js";

const options = readOptions({ polls: "2" });
const TIME = "2026-01-01T00:00:00Z";
const SUPPORT = { render: "required", preview: "optional", peek: "forbidden" };

/** @type {Map<string, { polls: number, arguments: any, cancelled: boolean }>} */
const tasks = new Map();

/** @param {unknown} id */
function find(id) {
  const task = tasks.get(String(id));
  if (!task) throw new RpcError(-32602, `Unknown task: ${String(id)}`);
  return task;
}

/** @param {string} taskId */
function describe(taskId) {
  const task = find(taskId);
  const isDone = task.polls >= Number(options.polls);
  const status = task.cancelled
    ? "cancelled"
    : !isDone
      ? "working"
      : task.arguments.fail
        ? "failed"
        : "completed";
  return { taskId, status, createdAt: TIME, lastUpdatedAt: TIME, ttl: 60_000, pollInterval: 10 };
}

serve(
  {
    name: "task-required",
    capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    list: () => ({
      tools: Object.entries(SUPPORT).map(([name, taskSupport]) =>
        plainTool(name, {
          inputSchema: {
            type: "object",
            properties: { frames: { type: "integer" }, fail: { type: "boolean" } },
          },
          execution: { taskSupport },
        }),
      ),
    }),
    call: ({ name, arguments: given, task }) => {
      if (name === "render" && !task) throw new RpcError(-32601, "Tool render must be called as a task");
      if (name === "peek" && task) throw new RpcError(-32601, "Tool peek cannot be called as a task");
      if (!task) return textResult(`${String(name)} done at once`);
      const taskId = `task-${tasks.size + 1}`;
      tasks.set(taskId, { polls: 0, arguments: given ?? {}, cancelled: false });
      return { task: describe(taskId) };
    },
    methods: {
      "tasks/get": ({ taskId }) => {
        find(taskId).polls += 1;
        return describe(String(taskId));
      },
      "tasks/cancel": ({ taskId }) => {
        find(taskId).cancelled = true;
        return describe(String(taskId));
      },
      "tasks/list": () => ({ tasks: [...tasks.keys()].map(describe) }),
      "tasks/result": ({ taskId }) => {
        const { arguments: given } = find(taskId);
        const _meta = { "io.modelcontextprotocol/related-task": { taskId } };
        if (given.fail) return { ...textResult("The renderer ran out of memory."), isError: true, _meta };
        return { ...textResult(`rendered ${given.frames ?? 1} frames`), _meta };
      },
    },
  },
  options,
);
