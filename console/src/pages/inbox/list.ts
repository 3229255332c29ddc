// The inbox as it is on the server, and the outcomes of what was in it.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../api/client';
import { useLive } from '../../api/live';
import type { Rows } from '../../components/list/definition';
import type { Consent } from '../../consent/host';

const page = 100;
const most = 1000;
// A request waits on the server for a change, so the next one follows soon. Without any
// change one is made each eight seconds.
const [serverWait, pause, hiddenPause] = [8000, 150, 15_000];

interface Waiting {
  readonly consents: readonly Consent[];
  readonly more: boolean;
  readonly revision: string | undefined;
}

// Asked are the filters of the API.
export interface Asked {
  readonly user?: string;
  readonly agent?: string;
  readonly tool?: string;
}

export interface Inbox extends Rows<Consent> {
  readonly waiting: number;
  // Puts the outcome of a consent in its place.
  readonly settle: (c: Consent) => void;
  // Removes what is decided.
  readonly clear: () => void;
}

// useInbox keeps the list of a person's consents, or with an empty name of everybody's: those
// that wait, the oldest first, and in their places the outcomes of those that waited while the
// list was shown. While the page is hidden it is read only if `notify` is set.
export function useInbox(asked: Asked, notify: boolean): Inbox {
  const [limit, setLimit] = useState(page);
  const [, setTick] = useState(0);
  const whose = JSON.stringify(asked);
  const last = useRef<Waiting & { readonly key: string; readonly whose: string }>();
  // The outcomes that are shown, and all that this page had, also those the person removed.
  const outcomes = useRef(new Map<string, Consent>());
  const told = useRef(new Set<string>());
  const key = `${whose} ${limit}`;
  const live = useLive<Waiting>(`inbox ${whose}`, async (signal) => {
    const known = last.current?.key === key ? last.current : undefined;
    const revision = known?.revision;
    const r = await api.get('/v1/consents', {
      query: { status: 'pending', oldest: 'true', limit, ...asked, ...(revision && !document.hidden ? { revision, wait_ms: serverWait } : {}) }, signal,
    });
    if (r.unchanged && known) return known;
    const shown = last.current?.whose === whose ? last.current.consents : [];
    // Read before the list changes, so that what a person looks at never leaves its place.
    await Promise.all(gone(shown, r.consents, told.current).map(async (c) => {
      const outcome = await api.get('/v1/consents/{consent_id}', { path: { consent_id: c.consent_id }, query: { user: c.user }, signal }).catch(() => undefined);
      if (outcome && outcome.status !== 'pending' && !told.current.has(c.consent_id)) outcomes.current.set(c.consent_id, outcome);
      told.current.add(c.consent_id);
    }));
    // What waits does not change: the same object is not drawn again.
    const before = new Map(shown.map((c) => [c.consent_id, c]));
    const consents = r.consents.map((c) => before.get(c.consent_id) ?? c);
    return (last.current = { key, whose, consents, more: !!r.next && limit < most, revision: r.revision });
  }, pause, notify ? hiddenPause : 0);
  useEffect(() => { if (limit > page) live.refresh(); }, [limit]);
  useEffect(() => () => { outcomes.current.clear(); told.current.clear(); setLimit(page); }, [whose]);

  const showMore = useCallback(() => setLimit((n) => Math.min(n + page, most)), []);
  const settle = useCallback((c: Consent) => {
    told.current.add(c.consent_id);
    outcomes.current.set(c.consent_id, c);
    setTick((n) => n + 1);
  }, []);
  const clear = useCallback(() => { outcomes.current.clear(); setTick((n) => n + 1); }, []);
  const data = live.data ?? last.current;
  const rows = useRows(data?.consents, outcomes.current);
  return {
    rows, stale: !live.data && data !== undefined, problem: live.problem, refresh: live.refresh,
    waiting: rows?.filter((c) => c.status === 'pending').length ?? 0, more: data?.more ?? false, showMore, auto: true, settle, clear,
  };
}

// gone returns those of the shown consents that no longer wait and whose outcome is not known.
// A list that grew has all that it had.
function gone(shown: readonly Consent[], now: readonly Consent[], told: ReadonlySet<string>): Consent[] {
  const ids = new Set(now.map((c) => c.consent_id));
  return shown.filter((c) => !ids.has(c.consent_id) && !told.has(c.consent_id)).slice(0, 20);
}

// useRows returns what waits with the outcomes in their places; the same list while nothing
// changed.
function useRows(consents: readonly Consent[] | undefined, outcomes: ReadonlyMap<string, Consent>): readonly Consent[] | undefined {
  const before = useRef<readonly Consent[]>();
  if (!consents) return undefined;
  const now = [...consents.filter((c) => !outcomes.has(c.consent_id)), ...outcomes.values()].sort((a, b) => Date.parse(a.requested_at) - Date.parse(b.requested_at));
  const same = before.current?.length === now.length && before.current.every((c, i) => c === now[i]);
  return same ? before.current : (before.current = now);
}
