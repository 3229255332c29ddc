// Reads a list page by page: the newest page again and again, older ones once. What was read
// outlives the page of the console, so that going back finds the rows again.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { tenant } from '../../api/client';
import { useLive } from '../../api/live';
import { asProblem, type Problem } from '../../api/problem';
import { me } from '../../app/session';
import type { Rows } from './definition';

export interface PageOf<R> {
  readonly rows: readonly R[];
  // The cursor of the next page; absent on the last.
  readonly next?: string | undefined;
}

interface Held<R> {
  readonly key: string;
  // The newest page, as it was read last.
  readonly from: PageOf<R>;
  readonly rows: readonly R[];
  readonly next: string | undefined;
  // Whether an older page was read; a search may find nothing on it.
  readonly older: boolean;
}

interface Reading<R> {
  readonly name: string;
  // The rows are read anew when it changes.
  readonly key: string;
  readonly load: (cursor: string, signal?: AbortSignal) => Promise<PageOf<R>>;
  readonly idOf: (row: R) => string;
  // Milliseconds between two looks at the newest page.
  readonly pace: number;
  readonly auto: boolean;
}

// One list of each name is kept, for the person who read it.
const kept = new Map<string, Held<unknown>>();

export function usePages<R>({ name, key, load, idOf, pace, auto }: Reading<R>): Rows<R> {
  const whole = `${me.value.tenant} ${tenant.value} ${me.value.user} ${key}`;
  const held = useRef<Held<R> | undefined>(recall<R>(name, whole));
  const [, setTick] = useState(0);
  const [failed, setFailed] = useState<{ key: string; problem: Problem }>();
  const reading = useRef('');
  const live = useLive<PageOf<R>>(`${name} ${whole}`, (signal) => load('', signal), pace);
  if (live.data && live.data !== held.current?.from) held.current = joined(held.current, whole, live.data, idOf);
  const now = held.current;
  useEffect(() => { if (now) kept.set(name, now as Held<unknown>); }, [now]);

  const latest = useRef(load);
  latest.current = load;
  const showMore = useCallback(() => {
    const before = held.current;
    if (!before?.next || reading.current === before.next) return;
    reading.current = before.next;
    latest.current(before.next).then((page) => {
      const h = held.current;
      if (h?.key !== before.key || h.next !== before.next) return;
      const known = new Set(h.rows.map(idOf));
      held.current = { ...h, rows: [...h.rows, ...page.rows.filter((r) => !known.has(idOf(r)))], next: page.next, older: true };
      setFailed(undefined);
      setTick((n) => n + 1);
    }, (err) => setFailed({ key: before.key, problem: asProblem(err) })).finally(() => { reading.current = ''; });
  }, []);

  const ours = now?.key === whole;
  return {
    rows: ours || !live.problem ? now?.rows : undefined,
    stale: now !== undefined && !ours,
    problem: live.problem, refresh: live.refresh,
    more: ours && !!now.next, moreProblem: failed?.key === whole ? failed.problem : undefined, showMore,
    auto,
  };
}

function recall<R>(name: string, key: string): Held<R> | undefined {
  const found = kept.get(name) as Held<R> | undefined;
  return found?.key === key ? found : undefined;
}

function joined<R>(held: Held<R> | undefined, key: string, from: PageOf<R>, idOf: (row: R) => string): Held<R> {
  if (held?.key !== key || !held.older || !from.next) return { key, from, rows: from.rows, next: from.next, older: false };
  return { ...held, from, rows: merged(held.rows, from.rows, idOf) };
}

// merged puts the newest page in front of the rows that were read before and lie behind it. A
// row that should be on the page and is not no longer fits the filters, and is left out.
export function merged<R>(before: readonly R[], page: readonly R[], idOf: (row: R) => string): R[] {
  const ids = new Set(page.map(idOf));
  const last = before.findLastIndex((r) => ids.has(idOf(r)));
  return [...page, ...before.slice(last + 1)];
}
