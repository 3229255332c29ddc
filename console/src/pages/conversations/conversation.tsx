// A conversation: its calls from the first to the last, who made and who allowed them.

import { useMemo } from 'preact/hooks';
import { api } from '../../api/client';
import type { PageProps } from '../../app/area';
import { Button } from '../../components/button';
import { Facts } from '../../components/facts';
import { Stale } from '../../components/failure';
import { Linked } from '../../components/linked';
import { wordOf } from '../../components/list/counts';
import type { Definition, Line } from '../../components/list/definition';
import { List, useFilters } from '../../components/list/list';
import { ofCall } from '../../components/list/outcome';
import { usePages } from '../../components/list/pages';
import { Short } from '../../components/plain';
import { Duration, Time } from '../../components/time';
import { t } from '../../text';
import OneCall from '../calls/call';
import { CopyCall } from '../calls/copied';
import { stateOf, type Summary } from '../calls/list';
import { totalsOf } from './totals';
import { useVerdicts, type Verdicts } from './verdicts';

const filters = ['state', 'tool', 'agent', 'user'] as const;

// As of a trace: there are no events of a conversation.
const [size, pace] = [500, 5000];

export default function Conversation({ params }: PageProps) {
  const id = params['id'] ?? '';
  const [chosen, change] = useFilters(filters);
  // The API has the newest first.
  const read = usePages<Summary>({
    name: 'conversation', key: id, idOf: (c) => c.call_id, pace, auto: false,
    load: async (cursor, signal) => {
      const page = await api.get('/v1/calls', { query: { conversation: id, limit: size, ...(cursor && { cursor }) }, ...(signal && { signal }) });
      return { rows: page.calls, next: page.next };
    },
  });
  const rows = useMemo(() => read.rows && [...read.rows].reverse(), [read.rows]);
  const verdicts = useVerdicts(id);
  const text = t().conversations;
  const path = `/conversations/${encodeURIComponent(id)}`;
  const definition: Definition<Summary> = {
    name: `conversation ${id}`, title: text.title, documentTitle: `${id} · ${text.title}`, path, item: `${path}/`, idOf: (c) => c.call_id,
    line: (c) => line(c, verdicts.data),
    facets: [
      { name: 'state', label: t().calls.state, valueOf: stateOf, word: (v) => wordOf(t().status, v), local: true },
      { name: 'tool', label: t().calls.tool, valueOf: (c) => c.tool, local: true },
      { name: 'agent', label: t().calls.agent, valueOf: (c) => c.agent ?? '', local: true },
      { name: 'user', label: t().calls.user, valueOf: (c) => c.user ?? '', local: true },
    ],
    above: rows && rows.length > 0 && (
      <>
        <About id={id} path={path} of={rows} />
        <Stale problem={verdicts.problem} />
        {read.more && <p><Button onClick={read.showMore}>{text.earlier}</Button></p>}
      </>
    ),
    found: (n) => t().calls.found(n, read.more), empty: [text.empty, text.emptyText, t().calls.emptyFiltered],
    detail: (call, row) => <><CopyCall id={call} /><OneCall id={call} row={row} /></>,
  };
  return <List key={id} of={definition} read={{ ...read, rows, more: false }} filters={chosen} change={change} id={params['call'] ?? ''} />;
}

function line(c: Summary, verdicts: Verdicts | undefined): Line {
  const why = [c.error_type, c.summary].filter(Boolean).join(': ');
  const verdict = verdicts?.get(c.call_id);
  return {
    outcome: ofCall(c), agent: c.agent, user: c.user,
    what: (
      <>
        <strong><Short text={c.tool} most={64} /></strong>
        {verdict && <> <span class={`badge ${verdict.granted ? 'good' : 'bad'}`}>{verdict.granted ? t().conversations.granted : t().conversations.denied} <Short text={verdict.by} most={40} /></span></>}
        {why && <> <span class="faint"><Short text={why} most={160} /></span></>}
      </>
    ),
    when: <>{c.state === 'done' && <span class="row-took"><Duration ms={c.duration_ms ?? 0} /> </span>}<Time at={c.accepted_at} /></>,
  };
}

function About({ id, path, of }: { id: string; path: string; of: readonly Summary[] }) {
  const totals = totalsOf(of, Date.now());
  const names = (name: 'user' | 'agent', all: readonly string[]) => all.length > 0 && all.map((x, i) => <span key={x}>{i > 0 && ', '}<Linked name={name} value={x} /></span>);
  const text = t().conversations;
  return (
    <Facts of={[
      [t().calls.conversation, <code key="id"><Short text={id} most={80} /></code>],
      [text.link, <a key="link" href={path}><Short text={location.origin + path} most={400} /></a>],
      [t().calls.user, names('user', totals.users)],
      [t().calls.agent, names('agent', totals.agents)],
      [text.began, <Time key="began" at={of[0]?.accepted_at} />],
      [text.span, <Duration key="span" ms={totals.span} />],
      [text.ran, <Duration key="ran" ms={totals.ran} />],
    ]} />
  );
}
