import type { Runner } from "../context.js";
import { withTools } from "../open-tools.js";
import { callIn } from "./call.js";

/** Calls one tool and records the call in a cassette. */
export const runRecord: Runner<"record"> = (context, [server = "", wanted = "", ...words], before) =>
  withTools(
    context,
    { server },
    (opened) => callIn(context, opened, { command: "record", wanted, words, before }),
    {
      onInput: () => ({ action: "cancel" }),
    },
  );
