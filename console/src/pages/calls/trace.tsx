// A trace: its calls as a waterfall.

import { useEffect } from 'preact/hooks';
import { api } from '../../api/client';
import { useLive } from '../../api/live';
import { Status } from '../../components/badge';
import { Empty, Failure, Stale } from '../../components/failure';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import type { PageProps } from '../../app/area';
import { useNow } from '../../lib/now';
import { duration } from '../../lib/time';
import { language, t } from '../../text';
import { useEvents } from './events';
import type { Summary } from './list';
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
  const calls = live.data?.calls;
  return (
    <Page title={t().calls.traceTitle} heading={<>{t().calls.traceTitle} <code class="calls-id"><Plain text={id} /></code></>}>
      <Stale problem={calls && live.problem} />
      {!calls && (live.problem ? <Failure problem={live.problem} retry={live.refresh} /> : <p class="faint" aria-busy="true">{t().common.loading}</p>)}
      {calls?.length === 0 && <Empty title={t().calls.emptyTrace} />}
      {calls && calls.length > 0 && <Waterfall calls={calls} />}
      {live.data?.next && <p class="faint">{t().calls.onlyNewest(1000)}</p>}
    </Page>
  );
}

function Waterfall({ calls }: { calls: readonly Summary[] }) {
  const now = useNow();
  const { bars, total, ticks } = waterfall(calls, now);
  const said = (ms: number) => duration(ms, language.value);
  return (
    <>
      <p class="faint">{t().calls.inAll(calls.length, said(total))} {t().calls.bars}</p>
      <div class="calls-axis" aria-hidden="true"><div>{ticks.map((at) => <span key={at} style={{ left: `${(at / total) * 100}%`, transform: `translateX(-${(at / total) * 100}%)` }}>{said(at)}</span>)}</div></div>
      <ol class="calls-fall">
        {bars.map(({ call: c, left, width, waited, depth, took, ran }) => (
          <li key={c.call_id}>
            <a class="calls-name" href={`/calls/${encodeURIComponent(c.call_id)}`} style={{ paddingLeft: `${depth}rem` }}><Plain text={c.tool} most={48} /></a>
            <Status of={c.state === 'done' ? c.status : c.state} />
            <span class="calls-track" aria-hidden="true">
              {ticks.map((at) => <span key={at} class="calls-tick" style={{ left: `${(at / total) * 100}%` }} />)}
              <span class={`calls-bar ${c.state === 'done' ? c.status : 'open'}`} style={{ left: `${left}%`, width: `${width}%` }}><span class="calls-wait" style={{ width: `${waited}%` }} /></span>
            </span>
            <span class="number">{said(took)}{ran !== undefined && <span class="faint"> {t().calls.ran(said(ran))}</span>}</span>
          </li>
        ))}
      </ol>
    </>
  );
}
