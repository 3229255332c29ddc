// Scheduled tasks: a person's own, for auditors and admins those of everybody.

import { api, type Schemas } from '../../api/client';
import type { PageProps } from '../../app/area';
import { has, me } from '../../app/session';
import type { Definition, Line } from '../../components/list/definition';
import { List, useFilters } from '../../components/list/list';
import { usePages } from '../../components/list/pages';
import type { Outcome } from '../../components/list/outcome';
import { Short } from '../../components/plain';
import { Time } from '../../components/time';
import { t } from '../../text';
import { Task } from './task';

type Schedule = Schemas['Schedule'];

const filters = ['user', 'tool', 'enabled'] as const;

// The API has no stream of tasks, and a task runs each minute at most.
const [size, pace] = [200, 5000];

export default function Schedules({ params }: PageProps) {
  const [chosen, change] = useFilters(filters);
  const user = chosen['user'] ?? '';
  const read = usePages<Schedule>({
    name: 'schedules', key: user, idOf, pace, auto: true,
    load: async (cursor, signal) => {
      const page = await api.get('/v1/schedules', { query: { user, limit: size, ...(cursor && { cursor }) }, ...(signal && { signal }) });
      return { rows: page.schedules, next: page.next };
    },
  });
  const text = t().schedules;
  const definition: Definition<Schedule> = {
    name: 'schedules', title: text.title, path: '/schedules', item: '/schedules/', idOf, line,
    facets: [
      ...(has('auditor', 'admin') || !me.value.user ? [{ name: 'user', label: t().calls.user, valueOf: (s: Schedule) => s.user, pattern: '[A-Za-z0-9_\\-]{1,64}' }] : []),
      { name: 'tool', label: t().calls.tool, valueOf: (s) => s.tool ?? '', local: true },
      { name: 'enabled', label: t().calls.state, valueOf: (s) => (s.enabled ? 'active' : 'paused'), word: (v) => (v === 'paused' ? text.paused : text.active), local: true },
    ],
    found: text.found, empty: [text.empty, text.emptyText, text.emptyFiltered],
    detail: (id, _, steps) => <Task key={id} user={id.slice(0, id.lastIndexOf('.'))} id={id.slice(id.lastIndexOf('.') + 1)} changed={read.refresh} gone={() => { read.refresh(); steps.close(); }} />,
  };
  return <List of={definition} read={read} filters={chosen} change={change} id={params['id'] ?? ''} />;
}

// An id is unique per person, and no name has a dot.
function idOf(s: Schedule): string {
  return `${s.user}.${s.id}`;
}

const outcomes: Readonly<Record<string, Outcome>> = { success: 'success', error: 'failed', pending: 'running', skipped: 'expired' };

function line(s: Schedule): Line {
  const last = s.last_status ?? '';
  const text = t().schedules;
  return {
    outcome: outcomes[last] ?? 'noted', word: last ? `${text.last}: ${last === 'skipped' ? text.skipped : t().status[last] ?? last}` : text.never, agent: s.agent, user: has('auditor', 'admin') ? s.user : undefined,
    what: <><strong><Short text={s.name} most={80} /></strong> <span class="faint"><Short text={[s.tool ?? text.prompt, s.schedule].join(', ')} most={120} /></span></>,
    when: s.enabled ? <Time at={s.next_run} /> : text.paused,
  };
}
