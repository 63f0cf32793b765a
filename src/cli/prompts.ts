import type { Context, Io } from "./context.js";

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

interface PromptOptions {
  /** Ends the prompt as if the user cancelled. */
  readonly signal?: AbortSignal;
}

/** A prompt ends when its own signal aborts, or else when the program is interrupted. */
function endingWith(io: Io, signal = io.signal): PromptOptions {
  return signal === undefined ? {} : { signal };
}

/** Asks a yes-no question on the terminal with `initial` preselected. Returns false if the user cancels. */
export async function confirm(
  context: Context,
  message: string,
  options: { readonly initial?: boolean } = {},
): Promise<boolean> {
  return (await askYesOrNo(context, message, options)) ?? false;
}

/** As {@link confirm}, but returns undefined if the user cancels. */
export async function askYesOrNo(
  { io }: Context,
  message: string,
  { initial = true, signal }: PromptOptions & { readonly initial?: boolean } = {},
): Promise<boolean | undefined> {
  const prompts = await import("@clack/prompts");
  const answer = await prompts.confirm({
    message,
    initialValue: initial,
    input: io.stdin,
    output: io.stderr,
    ...endingWith(io, signal),
  });
  return prompts.isCancel(answer) ? undefined : answer;
}

export interface ChooseOptions extends PromptOptions {
  /** The values that are preselected. Default: all. */
  readonly initial?: readonly string[];
  /** Whether at least one must be selected. Default: true. */
  readonly isRequired?: boolean;
}

/** Asks the user to select some of the choices. Returns undefined if the user cancels. */
export async function choose(
  { io }: Context,
  message: string,
  choices: readonly Choice[],
  { initial, isRequired = true, signal }: ChooseOptions = {},
): Promise<readonly string[] | undefined> {
  const prompts = await import("@clack/prompts");
  const answer = await prompts.multiselect({
    message,
    options: [...choices],
    initialValues: [...(initial ?? choices.map(({ value }) => value))],
    required: isRequired,
    input: io.stdin,
    output: io.stderr,
    ...endingWith(io, signal),
  });
  return prompts.isCancel(answer) ? undefined : answer;
}

/** Asks the user to select one of the choices. Returns undefined if the user cancels. */
export async function select(
  { io }: Context,
  message: string,
  choices: readonly Choice[],
  { initial, signal }: PromptOptions & { readonly initial?: string } = {},
): Promise<string | undefined> {
  const prompts = await import("@clack/prompts");
  const answer = await prompts.select({
    message,
    options: [...choices],
    ...(initial !== undefined && { initialValue: initial }),
    input: io.stdin,
    output: io.stderr,
    ...endingWith(io, signal),
  });
  return prompts.isCancel(answer) ? undefined : answer;
}

export interface AskOptions extends PromptOptions {
  /** The text to start with. */
  readonly initial?: string;
  /** Shown while the input is empty; not a default. */
  readonly placeholder?: string;
  /** Returns why a text is invalid; undefined if it is valid. */
  readonly validate?: (text: string) => string | undefined;
}

/** Asks for a line of text. Returns undefined if the user cancels. */
export async function ask(
  { io }: Context,
  message: string,
  { placeholder, validate, initial, signal }: AskOptions = {},
): Promise<string | undefined> {
  const prompts = await import("@clack/prompts");
  const answer = await prompts.text({
    message,
    ...(placeholder !== undefined && { placeholder }),
    ...(validate !== undefined && { validate: (text = "") => validate(text) }),
    ...(initial !== undefined && { initialValue: initial }),
    input: io.stdin,
    output: io.stderr,
    ...endingWith(io, signal),
  });
  return prompts.isCancel(answer) ? undefined : answer;
}
