import { generateText, stepCountIs, type LanguageModel, type ModelMessage, type ToolResultPart } from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import { systemPrompt, toAiSdkTools } from "mcp-codegen/agent";
import { connect } from "../../generated/example/index.js";

const bakery = connect(); // no connection before the first call
const tools = await toAiSdkTools(bakery);
const system = await systemPrompt(bakery);

/** `approve` is called before each call that can destroy something. */
async function runAgent(model: LanguageModel, request: string, approve: Approve): Promise<string> {
  const messages: ModelMessage[] = [{ role: "user", content: request }];
  for (;;) {
    const result = await generateText({ model, system, tools, messages, stopWhen: stepCountIs(20) });
    messages.push(...result.response.messages);
    // The result of a call that was approved is among these messages alone, and in no step.
    for (const { role, content } of result.response.messages)
      for (const part of role === "tool" ? content : [])
        if (part.type === "tool-result") console.log(part.toolName, describeOutput(part.output));
    const requests = result.content.filter((part) => part.type === "tool-approval-request");
    if (requests.length === 0) return result.text;
    const answers = requests.map(async ({ approvalId, toolCall }) => {
      const approved = await approve(toolCall.toolName, toolCall.input);
      return { type: "tool-approval-response" as const, approvalId, approved };
    });
    messages.push({ role: "tool", content: await Promise.all(answers) });
  }
}

type Approve = (tool: string, input: unknown) => boolean | Promise<boolean>;

function describeOutput(output: ToolResultPart["output"]): string {
  if (output.type === "execution-denied") return "was not approved";
  return output.type === "error-text" ? output.value : "worked";
}

const tokens = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };
const usage = { inputTokens: tokens, outputTokens: tokens };

/** Yours is "anthropic/claude-sonnet-4.5" or the like. */
const model = new MockLanguageModelV3({
  doGenerate: [
    call("get-post", { id: 99 }), // does not exist: the model reads the error
    call("list-posts", { status: "draft" }), // and searches
    call("delete-post", { id: 3 }), // waits for approval
    reply("I deleted the draft on opening hours."),
  ],
});

const answer = await runAgent(model, "Delete the draft on opening hours.", (tool, input) => {
  console.log("approve?", tool, input); // ask a person here
  return true;
});
const { total } = await bakery.listPosts({ status: "draft" });
console.log(answer, `Drafts left: ${total}`);
await bakery.close();

function call(toolName: string, input: object) {
  const part = { type: "tool-call" as const, toolCallId: toolName, toolName, input: JSON.stringify(input) };
  return {
    content: [part],
    finishReason: { unified: "tool-calls" as const, raw: undefined },
    usage,
    warnings: [],
  };
}

function reply(text: string) {
  const part = { type: "text" as const, text };
  return { content: [part], finishReason: { unified: "stop" as const, raw: undefined }, usage, warnings: [] };
}
