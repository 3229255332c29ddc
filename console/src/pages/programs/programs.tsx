// Programs, the newest first, and one of them.

import { api, type Query, type Schemas } from '../../api/client';
import type { PageProps } from '../../app/area';
import { has } from '../../app/session';
import { wordOf } from '../../components/list/counts';
import type { Definition, Facet, Filters, Line } from '../../components/list/definition';
import { List, useFilters } from '../../components/list/list';
import { ofCall } from '../../components/list/outcome';
import { usePages } from '../../components/list/pages';
import { Short } from '../../components/plain';
import { Time } from '../../components/time';
import { t } from '../../text';
import { OneProgram } from './program';

type Program = Schemas['Program'];

const filters = ['status', 'state', 'waits', 'tool', 'user', 'agent'] as const;

// As of calls: there is no stream of all programs.
const [size, pace] = [100, 2000];

export default function Programs({ params }: PageProps) {
  const [chosen, change] = useFilters(filters);
  const id = params['id'] ?? '';
  const may = has('user', 'auditor', 'admin');
  const asked = JSON.stringify([chosen['status'], chosen['user'], chosen['agent'], may]);
  const read = usePages<Program>({ name: 'programs', key: asked, idOf: (p) => p.call_id, pace: may ? pace : 0, auto: true, load: (cursor, signal) => page(chosen, may, cursor, signal) });
  // Who may not see the list sees the page of an own program.
  if (!may) return <OneProgram key={id} id={id} />;
  return <List of={definition(read.refresh)} read={read} filters={chosen} change={change} id={id} />;
}

async function page({ status, user, agent }: Filters, may: boolean, cursor: string, signal?: AbortSignal) {
  if (!may) return { rows: [] };
  const query = { ...(status && { status }), ...(user && { user }), ...(agent && { agent }), limit: size, ...(cursor && { cursor }) } as Query<'/v1/programs'>;
  const { programs, next } = await api.get('/v1/programs', { query, ...(signal && { signal }) });
  return { rows: programs, next };
}

function definition(changed: () => void): Definition<Program> {
  const text = t().programs;
  return {
    name: 'programs', title: text.title, path: '/programs', item: '/programs/', idOf: (p) => p.call_id, line, timeOf: (p) => p.started_at,
    facets: facetsOf(), found: text.found, empty: [text.empty, text.emptyText, text.emptyFiltered],
    detail: (id) => <OneProgram key={id} id={id} changed={changed} />,
    acts: [{
      name: 'cancel', label: text.cancelMany, kind: 'bad', fits: (p) => p.state !== 'done', title: text.cancelTitleMany, done: text.cancelledMany,
      run: (p) => api.post('/v1/calls/{call_id}/cancel', { path: { call_id: p.call_id }, body: undefined }),
    }],
  };
}

// first is the kind of what a program waits for, of several what a person can end.
function first(p: Program): string {
  const kinds = (p.waiting_for ?? []).map((w) => w.kind);
  return kinds.find((k) => k === 'answer' || k === 'consent') ?? kinds[0] ?? '';
}

function facetsOf(): readonly Facet<Program>[] {
  const text = t().programs;
  const name = '[A-Za-z0-9_\\-]{1,64}';
  const open = (p: Program) => p.state !== 'done';
  return [
    { name: 'status', label: text.outcome, valueOf: (p) => (open(p) ? 'pending' : p.status ?? ''), word: (v) => wordOf(text.outcomes, v), choices: ['pending', 'success', 'error'] },
    { name: 'state', label: t().calls.state, valueOf: (p) => p.state, word: (v) => wordOf(t().status, v), local: true },
    { name: 'waits', label: text.waitsFor, valueOf: first, word: (v) => wordOf(text.kinds, v), local: true },
    { name: 'tool', label: t().calls.tool, valueOf: (p) => p.tool, local: true },
    { name: 'agent', label: t().calls.agent, valueOf: (p) => p.agent ?? '', pattern: name },
    { name: 'user', label: t().calls.user, valueOf: (p) => p.user ?? '', pattern: name },
  ];
}

function line(p: Program): Line {
  const text = t().programs;
  const kind = first(p);
  const why = p.state === 'done' ? [p.error_type, p.message].filter(Boolean).join(': ') : kind ? wordOf(text.waits, kind) ?? '' : '';
  return {
    outcome: ofCall({ state: p.state, status: p.status ?? '', ...(p.error_type && { error_type: p.error_type }) }), agent: p.agent, user: p.user,
    what: <><strong><Short text={p.tool} most={64} /></strong> <span class="faint">{text.steps(p.steps)}{why && <>, <Short text={why} most={160} /></>}</span></>,
    when: <Time at={p.started_at} />,
  };
}
