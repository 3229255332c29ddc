// A trace: its calls as a waterfall.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { api } from '../../api/client';
import { useLive } from '../../api/live';
import { Status } from '../../components/badge';
import { Button } from '../../components/button';
import { Empty, Failure, Stale } from '../../components/failure';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import type { PageProps } from '../../app/area';
import { useNow } from '../../lib/now';
import { duration } from '../../lib/time';
import { language, t } from '../../text';
import { useEvents } from './events';
import type { Summary } from './list';
import { usePrograms, withPrograms, type Traced } from './parts';
import { waterfall } from './waterfall';

// The list is read again when an event tells of a change, and now and then for what has
// no events.
const pace = 5000;

export default function Trace({ params }: PageProps) {
  const id = params['id'] ?? '';
  const live = useLive(`trace ${id}`, (signal) => api.get('/v1/calls', { query: { trace_id: id, limit: 1000 }, signal }), pace);
  const { events } = useEvents(/^[0-9a-f]{32}$/.test(id) ? id : '');
  const steps = events.filter((e) => e.type !== 'progress' && e.type !== 'log' && e.type !== 'partial').length;
  useEffect(() => { if (steps > 0) live.refresh(); }, [steps]);
  const programs = usePrograms(id);
  const calls = live.data?.calls;
  const traced = useMemo(() => withPrograms(calls ?? [], programs), [calls, programs]);
  return (
    <Page title={t().calls.traceTitle} heading={<>{t().calls.traceTitle} <code class="calls-id"><Plain text={id} /></code></>}>
      <Stale problem={calls && live.problem} />
      {!calls && (live.problem ? <Failure problem={live.problem} retry={live.refresh} /> : <p class="faint" aria-busy="true">{t().common.loading}</p>)}
      {calls && traced.calls.length === 0 && <Empty title={t().calls.emptyTrace} />}
      {calls && traced.calls.length > 0 && <Waterfall of={traced} />}
      {live.data?.next && <p class="faint">{t().calls.onlyNewest(1000)}</p>}
    </Page>
  );
}

// So many bars are shown at first, and as many more each time that a person asks for them.
const shown = 300;

function Waterfall({ of: { calls, within, kinds } }: { of: Traced }) {
  const now = useNow();
  const [many, setMany] = useState(shown);
  const { bars, total, ticks } = waterfall(calls, now, within);
  const said = (ms: number) => duration(ms, language.value);
  return (
    <>
      <p class="faint">{t().calls.inAll(calls.length - kinds.size, said(total))} {t().calls.bars}</p>
      <div class="calls-axis" aria-hidden="true"><div>{ticks.map((at) => <span key={at} style={{ left: `${(at / total) * 100}%`, transform: `translateX(-${(at / total) * 100}%)` }}>{said(at)}</span>)}</div></div>
      <ol class="calls-fall">
        {bars.slice(0, many).map(({ call: c, left, width, waited, depth, took, ran }) => (
          <li key={c.call_id}>
            <Name of={c} kind={kinds.get(c.call_id)} depth={Math.min(depth, 8)} />
            {kinds.has(c.call_id) ? <span /> : <Status of={c.state === 'done' ? c.status : c.state} />}
            <span class="calls-track" aria-hidden="true">
              {ticks.map((at) => <span key={at} class="calls-tick" style={{ left: `${(at / total) * 100}%` }} />)}
              <span class={`calls-bar ${kinds.get(c.call_id) === 'sleep' ? 'waits' : c.state === 'done' ? c.status : 'open'}`} style={{ left: `${left}%`, width: `${width}%` }}><span class="calls-wait" style={{ width: `${waited}%` }} /></span>
            </span>
            <span class="number">{said(took)}{ran !== undefined && <span class="faint"> {t().calls.ran(said(ran))}</span>}</span>
          </li>
        ))}
      </ol>
      {bars.length > many && <p><Button onClick={() => setMany(many + shown)}>{t().plain.more(bars.length - many)}</Button></p>}
    </>
  );
}

// Name leads to the call of a bar, of a program to its page.
function Name({ of: c, kind, depth }: { of: Summary; kind: 'part' | 'sleep' | undefined; depth: number }) {
  const style = { paddingLeft: `${depth}rem` };
  if (kind) return <span class="calls-name" style={style}>{kind === 'sleep' ? t().programs.sleeps : <strong><Plain text={c.tool} most={48} /></strong>}</span>;
  return <a class="calls-name" href={`/${c.tool === 'run_program' ? 'programs' : 'calls'}/${encodeURIComponent(c.call_id)}`} style={style}><Plain text={c.tool} most={48} /></a>;
}
