import { ACTION } from "../action/run-action.js";

/** The tables of `docs/ci.md`: the inputs and the outputs of the Action. */
export function printAction(): string {
  const inputs = Object.entries(ACTION.inputs).map(([name, { description, default: value }]) => {
    const isPlain = value !== "" && !value.includes("${{");
    return `| \`${name}\` | ${description} | ${isPlain ? `\`${value}\`` : ""} |`;
  });
  const outputs = Object.entries(ACTION.outputs).map(
    ([name, { description }]) => `| \`${name}\` | ${description} |`,
  );
  return [
    ...["| input | meaning | default |", "| --- | --- | --- |", ...inputs, ""],
    ...["| output | meaning |", "| --- | --- |", ...outputs],
  ].join("\n");
}
