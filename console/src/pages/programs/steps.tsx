// The steps of a program on one time axis.

import { useMemo, useState } from 'preact/hooks';
import { Status } from '../../components/badge';
import { Plain, Short } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { useNow } from '../../lib/now';
import { duration } from '../../lib/time';
import { language, t } from '../../text';
import { timeline, type Row } from './rows';
import type { Program } from './use';

export function Steps({ of: p }: { of: Program }) {
  const now = useNow();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const until = p.state === 'done' ? 0 : now;
  const { rows, total, ticks } = useMemo(() => timeline(p, until, folded), [p, until, folded]);
  const said = (ms: number) => duration(ms, language.value);
  const fold = (part: string) => setFolded((f) => { const next = new Set(f); if (!next.delete(part)) next.add(part); return next; });
  const text = t().programs;
  const columns: readonly Column<Row>[] = [
    { id: 'name', label: text.step, main: true, cell: (r) => <Name of={r} open={!folded.has(r.name)} fold={fold} /> },
    { id: 'line', label: text.line, numeric: true, cell: (r) => r.line || '–' },
    { id: 'state', label: t().calls.state, cell: (r) => <State of={r} /> },
    {
      id: 'time', label: text.time,
      cell: (r) => (
        <span class="calls-track programs-track" aria-hidden="true">
          {ticks.map((at) => <span key={at} class="calls-tick" style={{ left: `${(at / total) * 100}%` }} />)}
          <span class={`calls-bar ${r.waits ? 'waits' : r.status}`} style={{ left: `${r.left}%`, width: `${Math.min(r.width, 100 - r.left)}%` }} />
        </span>
      ),
    },
    { id: 'took', label: t().calls.took, numeric: true, cell: (r) => said(r.took) },
  ];
  return (
    <section class="stack programs-steps" aria-labelledby="steps">
      <h2 id="steps">{text.stepsTitle}</h2>
      <p class="faint">{rows.length === 0 ? text.noSteps : `${text.steps(p.steps.length)}. ${text.axis(said(total), said(ticks[1] ?? total))}`}</p>
      {rows.length > 0 && <Table caption={text.stepsTitle} columns={columns} rows={rows} keyOf={(r) => r.key} />}
    </section>
  );
}

function Name({ of: r, open, fold }: { of: Row; open: boolean; fold: (part: string) => void }) {
  const text = t().programs;
  switch (r.kind) {
    case 'sleep': return <>{text.sleeps}{r.until && <> <span class="faint">{text.until} <Time at={r.until} /></span></>}</>;
    case 'part': return <button type="button" class="programs-part" aria-expanded={open} onClick={() => fold(r.name)}><Short text={r.name} most={64} /> <span class="faint">({r.many})</span></button>;
    default: return <a class={r.within ? 'programs-within' : undefined} href={`/calls/${encodeURIComponent(r.key)}`}><span class="faint number">{r.step?.n} </span><Short text={r.name} most={64} /></a>;
  }
}

function State({ of: r }: { of: Row }) {
  if (r.status === '') return <span class="faint">{r.kind === 'step' ? t().programs.notAwaited : '–'}</span>;
  return <><Status of={r.status} />{r.error && <> <span class="faint"><Plain text={r.error} /></span></>}</>;
}
