import type { Context } from "./context.js";

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Asks yes or no on the terminal, `initial` selected; leaving the question means no. */
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

/** Asks which of several to take, all of them chosen at first; undefined when the user leaves. */
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
  /** Shown while nothing is typed; not an answer. */
  readonly placeholder?: string;
  /** Returns why a text is not taken. */
  readonly validate?: (text: string) => string | undefined;
}

/** Asks for a line of text; undefined when the user leaves. */
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
