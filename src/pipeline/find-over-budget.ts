import type { Config } from "../config/config.js";
import { byCodeUnit, getOwn } from "../contract/json.js";
import type { LockedServer, Lockfile } from "../contract/lockfile.js";
import type { BudgetExcess } from "./reports.js";
import { estimateTokens, sumTokens } from "../contract/tool-tokens.js";
import { countTokens } from "./count-tokens.js";
import type { Revision } from "./find-drift.js";

/** How many of the largest tools are named. */
const LARGEST = 5;

/** The token budget of a server: from `servers.<name>.check`, or else from `check`. */
function tokenBudgetOf(config: Config, server: string): number | undefined {
  return getOwn(config.servers, server)?.check?.tokenBudget ?? config.check?.tokenBudget;
}

/**
 * Returns the servers whose tools exceed their token budget: as locked, and in each revision with more tokens. Tools
 * without a count are counted here.
 */
export async function findOverBudget(
  config: Config,
  { outline, read }: { readonly outline: Lockfile<unknown>; readonly read: () => Lockfile },
  revisions: readonly Revision[],
): Promise<readonly BudgetExcess[]> {
  if (revisions.length === 0 && areWithin(config, outline)) return [];
  const lock = read();
  const locked = Object.entries(lock.servers).flatMap(([server, block]) =>
    judgeServer(config, server, block, { of: "lock" }),
  );
  const live = await Promise.all(
    revisions.map(async ({ environment, after }) => {
      const counted = await countTokens(after);
      return Object.entries(counted.servers).flatMap(([server, block]) => {
        const before = getOwn(lock.servers, server);
        if (before !== undefined && sumTokens(block).tokens <= sumTokens(before).tokens) return [];
        return judgeServer(config, server, block, {
          of: "server",
          ...(environment !== undefined && { environment }),
        });
      });
    }),
  );
  return [...locked, ...live.flat()].sort((a, b) => byCodeUnit(a.server, b.server));
}

/** Whether counts in the lock prove that no server exceeds its budget, so that definitions need not be read. */
function areWithin(config: Config, { servers }: Lockfile<unknown>): boolean {
  return Object.entries(servers).every(([server, { tools }]) => {
    const counted = Object.values(tools).reduce((sum, { tokens = Infinity }) => sum + tokens, 0);
    return counted <= (tokenBudgetOf(config, server) ?? Infinity);
  });
}

function judgeServer(
  config: Config,
  server: string,
  block: LockedServer,
  whose: Pick<BudgetExcess, "of" | "environment">,
): readonly BudgetExcess[] {
  const budget = tokenBudgetOf(config, server);
  const { tokens, isEstimate } = sumTokens(block);
  if (budget === undefined || tokens <= budget) return [];
  const largest = Object.entries(block.tools)
    .map(([tool, locked]) => ({ tool, tokens: locked.tokens ?? estimateTokens(locked.definition) }))
    .sort((a, b) => b.tokens - a.tokens || byCodeUnit(a.tool, b.tool))
    .slice(0, LARGEST);
  return [{ server, ...whose, budget, tokens, isEstimate, largest }];
}
