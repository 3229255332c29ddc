// The agents that can be chosen.

// So many are offered.
const most = 200;

// knownAgents returns the names of agents that have rules, and of those whose calls were seen, each
// once and by name.
export function knownAgents(ruled: readonly { readonly agent: string }[], seen: readonly { readonly agent?: string }[]): readonly string[] {
  const names = [...ruled, ...seen].flatMap((of) => (of.agent ? [of.agent] : []));
  return [...new Set(names)].slice(0, most).sort();
}

// inTurn calls work for each item, for so many of them concurrently, until the signal is aborted.
export async function inTurn<T>(items: readonly T[], concurrent: number, signal: AbortSignal, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length && !signal.aborted) {
      const item = items[next++];
      if (item !== undefined) await work(item);
    }
  };
  await Promise.all(Array.from({ length: concurrent }, worker));
}
