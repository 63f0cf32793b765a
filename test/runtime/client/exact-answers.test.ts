import { expect, test } from "vitest";
import { checkAnswer } from "../../../src/runtime/client/questions.js";
import type { FormQuestion } from "../../../src/core/input-question.js";
const question: FormQuestion = {
  ...{ kind: "form", server: "shop", message: "Which account?", schema: {} },
  fields: [{ name: "account", type: "integer", isRequired: true }],
};

test.each([
  [42, true],
  [1234567890123456800, false],
])("the value %d of a form is sent: %s", (account, isSent) => {
  const checked = checkAnswer(question, { action: "accept", values: { account } });
  expect("result" in checked).toBe(isSent);
  if ("issues" in checked)
    expect(checked.issues[0]?.message).toContain("cannot be sent without losing precision");
});
