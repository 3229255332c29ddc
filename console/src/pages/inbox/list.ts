// The inbox as it is on the server, and what became of what was in it.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../api/client';
import { useLive, type Live } from '../../api/live';
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

export interface Inbox {
  // What waits and what was decided while it was shown, the oldest first.
  readonly items: readonly Consent[] | undefined;
  readonly waiting: number;
  readonly more: boolean;
  readonly live: Live<Waiting>;
  readonly showMore: () => void;
  // Puts the outcome of a consent in its place.
  readonly settle: (c: Consent) => void;
  // Removes what is decided.
  readonly clear: () => void;
}

// useInbox keeps the list of a person's consents, or with an empty name of everybody's.
// While the page is hidden it is read only if `notify` is set.
export function useInbox(user: string, notify: boolean): Inbox {
  const [limit, setLimit] = useState(page);
  const last = useRef<Waiting & { readonly key: string }>();
  const key = `inbox ${user} ${limit}`;
  const live = useLive<Waiting>(`inbox ${user}`, async (signal) => {
    const known = last.current?.key === key ? last.current : undefined;
    const revision = known?.revision;
    const r = await api.get('/v1/consents', {
      query: { status: 'pending', oldest: 'true', limit, user, ...(revision && !document.hidden ? { revision, wait_ms: serverWait } : {}) }, signal,
    });
    if (r.unchanged && known) return known;
    // What waits does not change: the same object is not rendered again.
    const before = new Map(last.current?.consents.map((c) => [c.consent_id, c]));
    const consents = r.consents.map((c) => before.get(c.consent_id) ?? c);
    return (last.current = { key, consents, more: !!r.next && limit < most, revision: r.revision });
  }, pause, notify ? hiddenPause : 0);
  useEffect(() => { if (limit > page) live.refresh(); }, [limit]);

  const [settled, setSettled] = useState<ReadonlyMap<string, Consent>>(new Map());
  const shown = useRef<readonly Consent[]>([]);
  // Whose outcome this page has, or had until the person removed it.
  const told = useRef(new Set<string>());
  useEffect(() => { setSettled(new Map()); shown.current = []; told.current.clear(); }, [user]);
  useEffect(() => {
    if (!live.data) return;
    const now = new Set(live.data.consents.map((c) => c.consent_id));
    const gone = shown.current.filter((c) => !now.has(c.consent_id) && !told.current.has(c.consent_id)).slice(0, 20);
    shown.current = live.data.consents;
    for (const c of gone) {
      told.current.add(c.consent_id);
      // Decided by somebody else, or expired: the person who looks at it is told.
      api.get('/v1/consents/{consent_id}', { path: { consent_id: c.consent_id }, query: { user: c.user } }).then((outcome) => {
        if (outcome.status !== 'pending') setSettled((s) => new Map(s).set(c.consent_id, outcome));
      }, () => undefined);
    }
  }, [live.data]);

  const showMore = useCallback(() => setLimit((n) => Math.min(n + page, most)), []);
  const settle = useCallback((c: Consent) => {
    told.current.add(c.consent_id);
    setSettled((s) => new Map(s).set(c.consent_id, c));
  }, []);
  const clear = useCallback(() => setSettled(new Map()), []);
  const waiting = live.data?.consents.filter((c) => !settled.has(c.consent_id)) ?? [];
  const items = [...waiting, ...settled.values()].sort((a, b) => Date.parse(a.requested_at) - Date.parse(b.requested_at));
  return {
    items: live.data && items, waiting: waiting.length, more: live.data?.more ?? false, live,
    showMore, settle, clear,
  };
}
