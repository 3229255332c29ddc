// Messages of the queue that no worker could read, to look at, put back or drop.

import { api, type Schemas } from '../../api/client';
import type { PageProps } from '../../app/area';
import { has } from '../../app/session';
import { Page } from '../../components/page';
import type { Definition, Line, Steps } from '../../components/list/definition';
import { List, useFilters } from '../../components/list/list';
import { usePages } from '../../components/list/pages';
import { Short } from '../../components/plain';
import { Time } from '../../components/time';
import { t } from '../../text';
import { Letter } from './letter';

type DeadLetter = Schemas['DeadLetter'];

// The API has no stream of dead letters; they are rare, so a slow look suffices.
const pace = 5000;
const size = 200;

const filters = ['tool', 'pool', 'user', 'agent'] as const;

export default function Dead({ params }: PageProps) {
  const [chosen, change] = useFilters(filters);
  const read = usePages<DeadLetter>({
    name: 'dead', key: '', idOf: (d) => String(d.seq), pace, auto: true,
    load: async (cursor, signal) => {
      const page = await api.get('/v1/dead', { query: { limit: size, cursor }, ...(signal && { signal }) });
      return { rows: page.dead, next: page.next };
    },
  });
  return <List of={definition(read.refresh)} read={read} filters={chosen} change={change} id={params['seq'] ?? ''} />;
}

function definition(refresh: () => void): Definition<DeadLetter> {
  const text = t().dead;
  const acts: Definition<DeadLetter>['acts'] = [
    { name: 'requeue', label: text.requeue, kind: 'plain', fits: () => true, title: text.requeueMany, done: text.requeuedMany, run: (d) => api.post('/v1/dead/{seq}/requeue', { path: { seq: String(d.seq) }, body: {} }).finally(refresh) },
    { name: 'drop', label: text.drop, kind: 'bad', fits: () => true, title: text.dropMany, done: text.droppedMany, run: (d) => api.delete('/v1/dead/{seq}', { path: { seq: String(d.seq) } }).finally(refresh) },
  ];
  return {
    name: 'dead', title: text.title, path: '/dead', item: '/dead/', idOf: (d) => String(d.seq), line,
    facets: [
      { name: 'tool', label: text.tool, valueOf: (d) => d.tool ?? '', local: true },
      { name: 'pool', label: text.pool, valueOf: (d) => d.pool, local: true },
      { name: 'user', label: text.person, valueOf: (d) => d.user ?? '', local: true },
      { name: 'agent', label: text.agent, valueOf: (d) => d.agent ?? '', local: true },
    ],
    above: <p class="faint">{text.about}</p>,
    found: text.found, empty: [text.empty, text.emptyText, text.emptyFiltered],
    detail: (seq, _, steps) => <One seq={seq} steps={steps} refresh={refresh} />,
    ...(has('admin') && { acts }),
  };
}

function line(d: DeadLetter): Line {
  return {
    outcome: 'failed', word: t().dead.unreadable, agent: d.agent, user: d.user,
    what: <><span class="number">{d.seq}</span> <strong>{d.tool ? <Short text={d.tool} most={64} /> : t().dead.unreadable}</strong> <span class="faint"><Short text={d.reason} most={160} /></span></>,
    when: <Time at={d.at} />,
  };
}

function One({ seq, steps, refresh }: { seq: string; steps: Steps; refresh: () => void }) {
  return (
    <Page title={t().dead.number(seq)}>
      {/^\d{1,18}$/.test(seq) ? <Letter seq={seq} done={() => { refresh(); steps.close(); }} /> : <p>{t().common.notFoundText}</p>}
    </Page>
  );
}
