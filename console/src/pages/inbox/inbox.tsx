// What waits for a person, the oldest first, live.

import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { Empty, Failure, Stale } from '../../components/failure';
import { Near } from '../../components/near';
import { Page } from '../../components/page';
import { useQuery } from '../../app/router';
import { has, me } from '../../app/session';
import { language, t } from '../../text';
import { Bulk } from './bulk';
import type { Consent } from '../../consent/host';
import { Act, Request } from '../../consent/request';
import { host, may } from './decide';
import { useInbox } from './list';
import { obstacle, useNotifications, want, wanted } from './notify';

export default function Inbox() {
  const [query, setQuery] = useQuery();
  const wide = has('approver', 'admin', 'auditor') && me.value.user !== '';
  const whose = query.get('whose') ?? (has('approver') ? 'all' : 'mine');
  const user = me.value.user !== '' && (!wide || whose === 'mine') ? me.value.user : (query.get('user') ?? '');
  const inbox = useInbox(user, wanted.value);
  useNotifications(inbox.items);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = useCallback((id: string, yes: boolean) => setChosen((s) => { const next = new Set(s); if (yes) next.add(id); else next.delete(id); return next; }), []);
  const { items, live } = inbox;
  const picked = items?.filter((c) => c.status === 'pending' && chosen.has(c.consent_id)) ?? [];
  const decided = items?.some((c) => c.status !== 'pending');
  const count = inbox.waiting ? `(${inbox.waiting}${inbox.more ? '+' : ''}) ` : '';

  return (
    <Page title={count + t().inbox.title} heading={t().inbox.title} aside={
      <div class="buttons">
        {wide && <select aria-label={t().inbox.whose} value={whose} onChange={(e) => setQuery({ whose: e.currentTarget.value })}>
          <option value="mine">{t().inbox.mine}</option><option value="all">{t().inbox.everybodys}</option>
        </select>}
        {obstacle.value ? <span class="small faint">{t().inbox.obstacles[obstacle.value]}</span> : <Button kind="quiet" onClick={() => want(!wanted.value)}>{wanted.value ? t().inbox.quiet : t().inbox.notify}</Button>}
        {decided && <Button kind="quiet" onClick={inbox.clear}>{t().inbox.clear}</Button>}
      </div>}>
      <p class="sr" role="status">{items && t().inbox.waiting(inbox.waiting, inbox.more)}</p>
      <Stale problem={items && live.problem} />
      {!items && live.problem && <Failure problem={live.problem} retry={live.refresh} />}
      {!items && !live.problem && <p class="faint" aria-busy="true">{t().common.loading}</p>}
      {items?.length === 0 && <Empty title={t().inbox.empty}>{t().inbox.emptyText}</Empty>}
      <ol class="stack inbox-list">
        {items?.map((c, i) => <Card key={c.consent_id} first={i < 5} of={c} chosen={chosen.has(c.consent_id)} choose={choose} settle={inbox.settle} />)}
      </ol>
      {inbox.more && <More shown={items?.length ?? 0} onVisible={inbox.showMore} />}
      {picked.length > 0 && <Bulk chosen={picked} settle={inbox.settle} done={() => setChosen(new Set())} />}
    </Page>
  );
}

interface CardProps {
  readonly of: Consent;
  readonly first: boolean;
  readonly chosen: boolean;
  readonly choose: (id: string, yes: boolean) => void;
  readonly settle: (c: Consent) => void;
}

function Card({ of: c, first, chosen, choose, settle }: CardProps) {
  const pending = c.status === 'pending';
  const name = `consent-${c.consent_id}`;
  return useMemo(() => (
    <li class={pending ? 'card stack inbox-card' : 'card stack inbox-card done'} data-consent={c.consent_id}>
      <article class="stack" aria-labelledby={name}>
        <header class="inbox-head">
          {pending && may(c) !== 'nothing' && <input type="checkbox" aria-labelledby={`${name}-choose ${name}`} checked={chosen} onChange={(e) => choose(c.consent_id, e.currentTarget.checked)} />}
          <span id={`${name}-choose`} hidden>{t().inbox.choose1}</span>
          <h2 id={name}><a href={`/consents/${encodeURIComponent(c.consent_id)}`}><Act of={c} /></a></h2>
        </header>
        <Near now={first || !pending} height="17rem">{() => <Request of={c} host={host} settle={settle} />}</Near>
      </article>
    </li>
  ), [c, chosen, language.value]);
}

// More loads more when it comes near the screen; the button is for those who do not scroll.
// It is observed again when more is shown: a list that grew while it was scrolled may have
// kept it near the screen, which is no change that an observer reports.
function More({ shown, onVisible }: { shown: number; onVisible: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const seen = new IntersectionObserver((e) => { if (e.some((x) => x.isIntersecting)) onVisible(); }, { rootMargin: '800px' });
    if (ref.current) seen.observe(ref.current);
    return () => seen.disconnect();
  }, [shown]);
  return <div ref={ref} class="inbox-more"><Button onClick={onVisible}>{t().common.more}</Button></div>;
}
