// The loaded rows by time and outcome. Dragging over a part chooses that time; the facet of the
// period does the same for those who do not drag.

import { useRef, useState } from 'preact/hooks';
import { language, t } from '../../text';
import { bucketsOf } from './counts';
import type { Outcome } from './outcome';

interface Props {
  readonly rows: readonly { readonly at: number; readonly outcome: Outcome }[];
  readonly from: number;
  readonly to: number;
  readonly choose: (from: string, to: string) => void;
}

// Bars, and the height of the highest.
const [bars, high] = [48, 40];

export function Histogram({ rows, from, to, choose }: Props) {
  const ground = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<readonly [number, number]>();
  const buckets = bucketsOf(rows, from, to, bars);
  const top = Math.max(1, ...buckets.map((b) => b.good + b.bad + b.other));
  // at returns the place of a pointer, from 0 to 1.
  const at = (e: PointerEvent) => {
    const box = ground.current?.getBoundingClientRect();
    return box && box.width > 0 ? Math.max(0, Math.min(1, (e.clientX - box.left) / box.width)) : 0;
  };
  const done = () => {
    setDrag(undefined);
    if (!drag) return;
    const [a, b] = [Math.min(...drag), Math.max(...drag)];
    // A click chooses nothing: a person may have meant to drag.
    if (b - a < 0.01) return;
    const time = (share: number) => new Date(from + share * (to - from)).toISOString();
    choose(time(a), time(b));
  };
  const failed = buckets.reduce((n, b) => n + b.bad, 0);
  const all = buckets.reduce((n, b) => n + b.good + b.bad + b.other, 0);
  return (
    <figure class="histogram">
      <svg ref={ground} viewBox={`0 0 ${bars} ${high}`} preserveAspectRatio="none" role="img" aria-label={t().list.histogram(all, failed, moment(from), moment(to))}
        onPointerDown={(e) => { if (e.button === 0) { e.currentTarget.setPointerCapture(e.pointerId); setDrag([at(e), at(e)]); } }}
        onPointerMove={(e) => { if (drag) setDrag([drag[0], at(e)]); }} onPointerUp={done} onPointerCancel={() => setDrag(undefined)}>
        {buckets.map((b, i) => {
          let y = high;
          const part = (n: number, tone: string) => { y -= (n / top) * high; return n > 0 && <rect key={tone} class={tone} x={i + 0.1} width={0.8} y={y} height={(n / top) * high} />; };
          return <g key={i}>{part(b.good, 'good')}{part(b.bad, 'bad')}{part(b.other, 'calm')}</g>;
        })}
        {drag && <rect class="drag" x={Math.min(...drag) * bars} width={Math.abs(drag[1] - drag[0]) * bars} y={0} height={high} />}
      </svg>
      <figcaption class="small faint"><span>{moment(from)}</span><span>{t().list.ofLoaded(rows.length)}</span><span>{moment(to)}</span></figcaption>
    </figure>
  );
}

function moment(at: number): string {
  return new Intl.DateTimeFormat(language.value, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' }).format(at);
}
