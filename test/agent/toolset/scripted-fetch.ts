/** What the tests read of a request to a provider. */
export interface SentRequest {
  readonly tools: readonly {
    readonly name?: string;
    readonly type?: string;
    readonly defer_loading?: true;
  }[];
}

/** A `fetch` that answers with one scripted message after another, and notes what was sent. */
export function scriptedFetch(answers: readonly object[]): {
  readonly fetch: typeof fetch;
  readonly sent: readonly SentRequest[];
} {
  const sent: SentRequest[] = [];
  return {
    sent,
    fetch: (_url, init) => {
      sent.push(JSON.parse(init?.body as string) as SentRequest);
      return Promise.resolve(Response.json(answers[sent.length - 1]));
    },
  };
}
