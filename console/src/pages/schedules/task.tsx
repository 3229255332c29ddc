// One scheduled task: what it runs, when, how its last runs went, and what may be done with it.

import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { has, me } from '../../app/session';
import { Act } from '../../components/act';
import { Facts } from '../../components/facts';
import { Linked } from '../../components/linked';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Duration, Time } from '../../components/time';
import { t } from '../../text';
import { make } from './make';

type Schedule = Schemas['Schedule'];
type Run = Schemas['ScheduleRun'];

const pace = 5000;

interface Props {
  readonly user: string;
  readonly id: string;
  readonly changed: () => void;
  readonly gone: () => void;
}

export function Task({ user, id, changed, gone }: Props) {
  const live = useLive<Schedule>(`schedule ${user} ${id}`, (signal) => api.get('/v1/schedules/{id}', { path: { id }, query: { user }, signal }), pace);
  const task = live.data;
  const again = () => { live.refresh(); changed(); };
  return (
    <Page title={task?.name ?? id} heading={<Plain text={task?.name ?? id} most={120} />} aside={task && <Acts of={task} changed={again} gone={gone} />}>
      <Loaded of={live}>{(of) => <Details of={of} />}</Loaded>
    </Page>
  );
}

// Acts are what this person may do: their tools change their own tasks, and an admin may delete
// those of others.
function Acts({ of: s, changed, gone }: { of: Schedule; changed: () => void; gone: () => void }) {
  const own = has('user') && (me.value.user === '' || me.value.user === s.user);
  const act = (kind: 'run' | 'pause' | 'resume' | 'remove', run: () => Promise<unknown>, after: () => void) => {
    const [label, title, text, done] = t().schedules.act[kind];
    return <Act key={kind} label={label} title={title} done={done} kind={kind === 'remove' ? 'bad' : 'plain'} run={run} after={after}><p><strong><Plain text={s.name} most={120} /></strong></p><p>{text}</p></Act>;
  };
  const enable = (enabled: boolean) => () => make('update_scheduled_task', { taskId: s.id, enabled }, s.user);
  return (
    <div class="buttons">
      {own && act('run', () => make('trigger_task', { taskId: s.id }, s.user), changed)}
      {own && (s.enabled ? act('pause', enable(false), changed) : act('resume', enable(true), changed))}
      {(own || has('admin')) && act('remove', () => api.delete('/v1/schedules/{id}', { path: { id: s.id }, query: { user: s.user } }), gone)}
    </div>
  );
}

function Details({ of: s }: { of: Schedule }) {
  const runs = [...(s.history ?? [])].reverse();
  const text = t().schedules;
  const columns: readonly Column<Run>[] = [
    { id: 'due', label: text.due, main: true, cell: (r) => <Time at={r.due} /> },
    { id: 'outcome', label: text.outcome, cell: (r) => <Outcome of={r} /> },
    { id: 'took', label: t().calls.took, cell: (r) => <Duration ms={r.completed_at ? Math.max(0, Date.parse(r.completed_at) - Date.parse(r.started_at)) : undefined} /> },
    { id: 'why', label: text.why, cell: (r) => (r.error ? <Plain text={r.error} most={200} /> : <span class="faint">–</span>) },
  ];
  return (
    <div class="stack">
      <Facts of={[
        [text.runs, s.tool ? <Linked name="tool" value={s.tool} /> : text.prompt],
        [text.when, <Plain key="when" text={`${s.schedule} (${s.timezone})`} most={160} />],
        [text.next, s.enabled ? s.next_run && <Time at={s.next_run} /> : text.paused],
        [text.last, runs[0] ? <><Outcome of={runs[0]} /> <Time at={runs[0].due} /></> : text.never],
        [text.count, <span key="count" class="number">{t().list.number(s.runs)}</span>],
        [text.missed, text.missedRuns[s.missed_runs] ?? s.missed_runs],
        [t().calls.user, <Linked key="user" name="user" value={s.user} />],
        [t().calls.agent, s.agent && <Linked name="agent" value={s.agent} />],
        [t().calls.conversation, <Linked key="conversation" name="conversation" value={`schedule-${s.id}`} />],
        [text.changed, <Time key="changed" at={s.updated_at} />],
      ]} />
      {runs.length > 0 && <section class="stack" aria-labelledby="runs"><h2 id="runs">{text.history}</h2><Table caption={text.history} columns={columns} rows={runs} keyOf={(r) => r.call_id} /></section>}
    </div>
  );
}

// Outcome leads to the call of a run. A run that was left out made none.
function Outcome({ of: r }: { of: Run }) {
  if (r.status === 'skipped') return <>{t().schedules.skipped}</>;
  return <a href={`/calls/${encodeURIComponent(r.call_id)}`}>{t().status[r.status] ?? r.status}</a>;
}
