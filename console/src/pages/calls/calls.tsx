// The calls of the tenant, the newest first, live, and one of them.

import { api } from '../../api/client';
import type { PageProps } from '../../app/area';
import { has } from '../../app/session';
import type { Definition, Line } from '../../components/list/definition';
import { List, useFilters } from '../../components/list/list';
import { ofCall } from '../../components/list/outcome';
import { Short } from '../../components/plain';
import { Duration, Time } from '../../components/time';
import { t } from '../../text';
export { default as Conversation } from '../conversations/conversation';
import OneCall from './call';
import { CopyCall } from './copied';
import { facetsOf, filters, useCalls, type Summary } from './list';

export default function Calls({ params }: PageProps) {
  const [chosen, change] = useFilters(filters);
  const may = has('user', 'auditor', 'admin');
  const read = useCalls(chosen, may);
  const id = params['id'] ?? '';
  // Who may not see the list sees the page of an own call.
  if (!may) return <div key={id}><CopyCall id={id} /><OneCall id={id} /></div>;
  return <List of={definition()} read={read} filters={chosen} change={change} id={id} />;
}

function definition(): Definition<Summary> {
  const text = t().calls;
  return {
    name: 'calls', title: text.title, path: '/calls', item: '/calls/', idOf: (c) => c.call_id, line, timeOf: (c) => c.accepted_at,
    search: { name: 'q', label: text.search, hint: text.searchHint },
    facets: facetsOf(), found: text.found, empty: [text.empty, text.emptyText, text.emptyFiltered],
    detail: (id, row) => <><CopyCall id={id} /><OneCall id={id} row={row} /></>,
    ...(has('user', 'agent', 'approver', 'admin') && {
      acts: [{
        name: 'cancel', label: text.cancelMany, kind: 'bad' as const, fits: (c: Summary) => c.state !== 'done', title: text.cancelTitleMany, done: text.cancelledMany,
        run: (c: Summary) => api.post('/v1/calls/{call_id}/cancel', { path: { call_id: c.call_id }, body: undefined }),
      }],
    }),
  };
}

function line(c: Summary): Line {
  const why = [c.error_type, c.summary].filter(Boolean).join(': ');
  return {
    outcome: ofCall(c), agent: c.agent, user: c.user,
    what: <><strong><Short text={c.tool} most={64} /></strong>{why && <> <span class="faint"><Short text={why} most={160} /></span></>}</>,
    when: <>{c.state === 'done' && <span class="row-took"><Duration ms={c.duration_ms ?? 0} /> </span>}<Time at={c.accepted_at} /></>,
  };
}
