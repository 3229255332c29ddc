// What waits for a person, the oldest first, live.

import type { ComponentChildren } from 'preact';
import type { PageProps } from '../../app/area';
import { useQuery } from '../../app/router';
import { has, me } from '../../app/session';
import { Button } from '../../components/button';
import { wordOf } from '../../components/list/counts';
import type { Definition, Steps } from '../../components/list/definition';
import { List, useFilters } from '../../components/list/list';
import { toast } from '../../components/toast';
import type { Consent } from '../../consent/host';
import { t } from '../../text';
import { decide, host, may } from './decide';
import { Beside, OneConsent } from './consent';
import { fits, groupOf, line, What } from './line';
import { useInbox } from './list';
import { obstacle, useNotifications, want, wanted } from './notify';

const names = ['q', 'tool', 'agent', 'user', 'risk', 'conversation'] as const;

export default function Inbox({ params }: PageProps) {
  const [query, setQuery] = useQuery();
  const [filters, change] = useFilters(names);
  const wide = has('approver', 'admin', 'auditor') && me.value.user !== '';
  const whose = query.get('whose') ?? (has('approver') ? 'all' : 'mine');
  const user = me.value.user !== '' && (!wide || whose === 'mine') ? me.value.user : (filters['user'] ?? '');
  const { tool = '', agent = '' } = filters;
  const inbox = useInbox({ user, tool, agent }, wanted.value);
  useNotifications(inbox.rows);
  const settle = (c: Consent, steps: Steps) => {
    inbox.settle(c);
    // What somebody else decided first stays before the person's eyes.
    if (!c.decision || !host.own(c.decision.by, c)) return;
    toast(<>{t().status[c.status] ?? c.status} {t().inbox.byYou}: <a href={`/consents/${encodeURIComponent(c.consent_id)}`}><What of={c} /></a></>);
    steps.next(c.consent_id);
  };
  const count = inbox.waiting ? `(${inbox.waiting}${inbox.more ? '+' : ''}) ` : '';
  const aside = (
    <div class="buttons">
      {wide && <select aria-label={t().inbox.whose} value={whose} onChange={(e) => setQuery({ whose: e.currentTarget.value })}>
        <option value="mine">{t().inbox.mine}</option><option value="all">{t().inbox.everybodys}</option>
      </select>}
      {obstacle.value ? <span class="small faint">{t().inbox.obstacles[obstacle.value]}</span> : <Button kind="quiet" onClick={() => want(!wanted.value)}>{wanted.value ? t().inbox.quiet : t().inbox.notify}</Button>}
      {inbox.rows?.some((c) => c.status !== 'pending') && <Button kind="quiet" onClick={inbox.clear}>{t().inbox.clear}</Button>}
    </div>
  );
  return <List of={definition(inbox.settle, settle, aside, count, t().inbox.waiting(inbox.waiting, inbox.more))} read={inbox} filters={filters} change={change} id={params['id'] ?? ''} />;
}

function definition(settled: (c: Consent) => void, settle: (c: Consent, steps: Steps) => void, aside: ComponentChildren, count: string, found: string): Definition<Consent> {
  const answer = (decision: 'grant' | 'deny') => async (c: Consent) => settled(await decide(c, { decision, ...(decision === 'grant' ? { remember: 'once' } : {}) }));
  const waits = (c: Consent) => c.status === 'pending' && may(c) !== 'nothing';
  const grants = (c: Consent) => waits(c) && may(c) === 'grant' && c.kind !== 'question';
  const pattern = '[A-Za-z0-9_\\-]{1,64}';
  return {
    name: 'inbox', title: t().inbox.title, documentTitle: count + t().inbox.title, path: '/', item: '/consents/',
    idOf: (c) => c.consent_id, line, waits, groupOf, aside,
    search: { name: 'q', label: t().inbox.search, fits },
    facets: [
      { name: 'tool', label: t().inbox.tool, valueOf: (c) => c.tool, pattern: '[a-zA-Z][a-zA-Z0-9_.]{0,63}' },
      { name: 'agent', label: t().inbox.agent, valueOf: (c) => c.agent ?? '', pattern },
      ...(has('approver', 'admin', 'auditor') ? [{ name: 'user', label: t().inbox.person, valueOf: (c: Consent) => c.user, pattern }] : []),
      { name: 'risk', label: t().inbox.risk, valueOf: (c) => c.risk, word: (v) => wordOf(t().risk, v), local: true },
      { name: 'conversation', label: t().inbox.conversation, valueOf: (c) => c.conversation ?? '', local: true },
    ],
    found: () => found,
    empty: [t().inbox.empty, t().inbox.emptyText, t().inbox.emptyFiltered],
    acts: [
      { name: 'grant', label: t().inbox.grant.once, kind: 'plain', fits: grants, run: answer('grant'), title: t().inbox.grantMany, done: t().inbox.decidedMany },
      { name: 'deny', label: t().inbox.deny, kind: 'bad', fits: waits, run: answer('deny'), title: t().inbox.denyMany, done: t().inbox.decidedMany },
    ],
    detail: (id, c, steps) => <OneConsent id={id} known={c} settle={(x) => settle(x, steps)} />,
    preview: (c, steps) => <Beside of={c} settle={(x) => settle(x, steps)} />,
  };
}
