import { showArguments } from "../core/show-arguments.js";
import type { Context, Io } from "./context.js";

/** Only questions need the package. */
const loadPrompts = async () => import("@clack/prompts");

interface PromptChoice {
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
  const prompts = await loadPrompts();
  const answer = await prompts.confirm({ message, initialValue: initial, ...streamsOf(io) });
  return !prompts.isCancel(answer) && answer;
}

/** Asks the user to select at least one of the choices, all of which are preselected. Returns undefined if the user cancels. */
export async function choose(
  { io }: Context,
  message: string,
  choices: readonly PromptChoice[],
): Promise<readonly string[] | undefined> {
  const prompts = await loadPrompts();
  const answer = await prompts.multiselect({
    message,
    options: [...choices],
    initialValues: choices.map(({ value }) => value),
    required: true,
    ...streamsOf(io),
  });
  return prompts.isCancel(answer) ? undefined : answer;
}

/** Characters of arguments that a terminal shows. */
const MOST_SHOWN = 6_000;

/**
 * Returns the lines that show arguments to the person who is asked about them.
 *
 * @throws McpCodegenError `CONFIRMATION_REQUIRED` for more than a terminal can show
 */
export function printArguments(args: unknown): readonly string[] {
  return showArguments(args, MOST_SHOWN).map(
    ([name, value]) => `  ${name === "" ? "" : `${name}: `}${value}`,
  );
}

interface TextOptions {
  /** Shown while the input is empty. */
  readonly placeholder?: string;
  /** Returns why a text is invalid. */
  readonly validate?: (text: string) => string | undefined;
}

/** Asks for a line of text. Returns undefined if the user cancels. */
export async function ask(
  { io }: Context,
  message: string,
  { placeholder = "", validate }: TextOptions = {},
): Promise<string | undefined> {
  const prompts = await loadPrompts();
  const answer = await prompts.text({
    message,
    placeholder,
    validate: (text = "") => validate?.(text),
    ...streamsOf(io),
  });
  return prompts.isCancel(answer) ? undefined : answer;
}

/** The streams of a prompt, which ends when the program is interrupted. */
function streamsOf({ stdin, stderr, signal }: Io): {
  readonly input: Io["stdin"];
  readonly output: Io["stderr"];
  readonly signal?: AbortSignal;
} {
  return { input: stdin, output: stderr, ...(signal !== undefined && { signal }) };
}
