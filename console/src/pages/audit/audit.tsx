// The audit trail: search, whether its seals are valid, and its export.

import type { PageProps } from '../../app/area';
import { wordOf } from '../../components/list/counts';
import type { Definition, Facet, Line } from '../../components/list/definition';
import { List, useFilters } from '../../components/list/list';
import { ofError } from '../../components/list/outcome';
import { Short } from '../../components/plain';
import { Time } from '../../components/time';
import { t } from '../../text';
import { Export } from './export';
import { filters, seals, type Entry, type Filters } from './query';
import { OneRecord } from './record';
import { useTrail } from './use';
import { Verify } from './verify';

export default function Audit({ params }: PageProps) {
  const [chosen, change] = useFilters(filters);
  const read = useTrail(chosen as Filters);
  return <List of={definition(chosen as Filters, read.rows)} read={read} filters={chosen} change={change} id={params['id'] ?? ''} />;
}

function definition(chosen: Filters, rows: readonly Entry[] | undefined): Definition<Entry> {
  const text = t().audit;
  const found = rows && seals(rows);
  return {
    name: 'audit', title: text.title, path: '/audit', item: '/audit/', idOf: (r) => r.audit_id, line, timeOf: (r) => r.time,
    search: { name: 'text', label: text.search, hint: text.searchHint },
    facets: facetsOf(), aside: <Export chosen={chosen} />,
    above: <><details class="audit-verify"><summary>{text.verifyTitle}</summary><Verify chosen={chosen} /></details>
      {found && <p role="status" class={found.wrong > 0 ? 'bad' : 'small faint'}>{text.sealsOf(found)}</p>}</>,
    found: text.found, empty: [text.empty, text.emptyText, chosen.text ? text.emptySoFar : text.emptyFiltered],
    detail: (id, record) => <OneRecord id={id} known={record} />,
  };
}

function facetsOf(): readonly Facet<Entry>[] {
  const { filters: label, phase, phases, outcome, outcomes, status, statuses } = t().audit;
  const name = '[A-Za-z0-9_\\-]{1,64}';
  return [
    { name: 'phase', label: phase, valueOf: (r) => r.phase, word: (v) => wordOf(phases, v), choices: Object.keys(phases) },
    { name: 'status', label: status, valueOf: (r) => r.result?.status ?? '', word: (v) => wordOf(statuses, v), choices: Object.keys(statuses) },
    { name: 'outcome', label: outcome, valueOf: (r) => r.decision?.outcome ?? '', word: (v) => wordOf(outcomes, v), choices: Object.keys(outcomes) },
    { name: 'error_type', label: label.error_type, valueOf: (r) => r.result?.error_type ?? '', pattern: '[a-z_]{1,64}' },
    { name: 'tool', label: label.tool, valueOf: (r) => r.tool ?? '', pattern: '[a-zA-Z][a-zA-Z0-9_.]{0,63}' },
    { name: 'agent', label: label.agent, valueOf: (r) => r.agent ?? '', pattern: name },
    { name: 'user', label: label.user, valueOf: (r) => r.user ?? '', pattern: name },
    { name: 'conversation', label: label.conversation, valueOf: (r) => r.conversation ?? '', pattern: name },
    { name: 'call_id', label: label.call_id, valueOf: (r) => r.call_id ?? '', pattern: '[A-Za-z0-9_\\-~]{1,140}' },
    { name: 'trace_id', label: label.trace_id, valueOf: (r) => r.trace_id ?? '', pattern: '[0-9a-f]{32}' },
  ];
}

function line(r: Entry): Line {
  const why = [r.decision?.reason, r.result?.error_type, r.result?.summary, r.detail, r.by].filter(Boolean).join(' · ');
  return {
    outcome: r.problem ? 'unknown' : r.phase === 'refused' ? 'denied' : r.phase === 'consent_requested' ? 'waits' : r.result?.status === 'success' ? 'success' : r.result?.status === 'error' ? ofError(r.result.error_type) : 'noted',
    agent: r.agent, user: r.user ?? r.by,
    what: <><strong>{t().audit.phases[r.phase]}</strong>{r.tool && <> <Short text={r.tool} most={64} /></>}{why && <> <span class="faint"><Short text={why} most={160} /></span></>}</>,
    when: <Time at={r.time} />,
  };
}
