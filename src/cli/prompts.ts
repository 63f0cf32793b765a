import type { Context } from "./context.js";

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Asks a yes-no question on the terminal with `initial` preselected. Returns false if the user cancels. */
export async function confirm(
  { io }: Context,
  message: string,
  { initial = true }: { readonly initial?: boolean } = {},
): Promise<boolean> {
  const prompts = await import("@clack/prompts");
  const answer = await prompts.confirm({
    message,
    initialValue: initial,
    input: io.stdin,
    output: io.stderr,
  });
  return answer === true;
}

/** Asks the user to select some of the choices, all preselected. Returns undefined if the user cancels. */
export async function choose(
  { io }: Context,
  message: string,
  choices: readonly Choice[],
): Promise<readonly string[] | undefined> {
  const prompts = await import("@clack/prompts");
  const answer = await prompts.multiselect({
    message,
    options: [...choices],
    initialValues: choices.map(({ value }) => value),
    required: true,
    input: io.stdin,
    output: io.stderr,
  });
  return prompts.isCancel(answer) ? undefined : answer;
}

export interface AskOptions {
  /** Shown while the input is empty; not a default. */
  readonly placeholder?: string;
  /** Returns why a text is invalid; undefined if it is valid. */
  readonly validate?: (text: string) => string | undefined;
}

/** Asks for a line of text. Returns undefined if the user cancels. */
export async function ask(
  { io }: Context,
  message: string,
  { placeholder, validate }: AskOptions = {},
): Promise<string | undefined> {
  const prompts = await import("@clack/prompts");
  const answer = await prompts.text({
    message,
    ...(placeholder !== undefined && { placeholder }),
    ...(validate !== undefined && { validate: (text = "") => validate(text) }),
    input: io.stdin,
    output: io.stderr,
  });
  return prompts.isCancel(answer) ? undefined : answer;
}
