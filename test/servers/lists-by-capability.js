// Lists "always" for every client, and "ask-user" or "ask-model" for clients that declare elicitation or sampling.
import { plainTool, readOptions, serve } from "./raw-server.js";

serve(
  {
    name: "lists-by-capability",
    list: (_, { clientCapabilities }) => ({
      tools: [
        plainTool("always"),
        ...("elicitation" in clientCapabilities ? [plainTool("ask-user")] : []),
        ...("sampling" in clientCapabilities ? [plainTool("ask-model")] : []),
      ],
    }),
  },
  readOptions({}),
);
