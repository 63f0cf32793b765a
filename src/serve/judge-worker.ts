import { parentPort, workerData } from "node:worker_threads";
import { judgeTool, type ToolToJudge } from "./judge-tool.js";

// Both ends are in this package: see judge-tool.ts.
parentPort?.postMessage(judgeTool(JSON.parse(String(workerData)) as ToolToJudge));
