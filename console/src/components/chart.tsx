// Values over time, drawn by uPlot. A pointer or the arrow keys choose a step, whose values are
// then in the heading; without a choice these are the newest.

import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { theme } from '../app/theme';
import { moment } from '../lib/time';
import { language } from '../text';
import { height, options } from './plot';

export interface Line {
  readonly name: string;
  readonly kind: 'good' | 'bad' | 'accent' | 'warn';
  // One value for each time; null where nothing is known.
  readonly values: readonly (number | null)[];
}

interface Props {
  readonly title: string;
  readonly times: readonly string[];
  readonly lines: readonly Line[];
  readonly unit: (n: number) => string;
}

export function Chart({ title, times, lines, unit }: Props) {
  const [chosen, choose] = useState<number>();
  const newest = Math.max(0, times.findLastIndex((_, i) => lines.some((l) => l.values[i] != null)));
  const at = Math.min(chosen ?? newest, times.length - 1);
  const said = lines.map((l) => { const v = l.values[at] ?? null; return `${l.name}: ${v === null ? '–' : unit(v)}`; });
  const when = moment(Date.parse(times[at] ?? ''), language.value);
  const { box, point } = usePlot(times, lines, unit, choose);
  const move = (e: KeyboardEvent) => {
    const last = times.length - 1;
    const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, PageDown: at - 10, PageUp: at + 10, Home: 0, End: last }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    const next = Math.max(0, Math.min(last, to));
    choose(next);
    point(next);
  };
  return (
    <figure class="card chart">
      <figcaption>
        <h3>{title}</h3>
        <p class="small">{lines.map((l, i) => <span key={l.name} class={`chart-key ${l.kind}`}>{said[i]}</span>)}</p>
        <p class="small faint"><time dateTime={times[at] ?? ''}>{when}</time></p>
      </figcaption>
      <div class="chart-plot" style={{ minHeight: `${height}px` }} ref={box} tabIndex={0} role="slider" aria-label={title} aria-valuemin={0} aria-valuemax={Math.max(0, times.length - 1)}
        aria-valuenow={at} aria-valuetext={`${when}: ${said.join(', ')}`} onKeyDown={move} onBlur={() => { choose(undefined); point(undefined); }} />
    </figure>
  );
}

// usePlot draws into a box. Without the code of uPlot, as while a server is away, the heading and
// the table of a page still have the values.
function usePlot(times: readonly string[], lines: readonly Line[], unit: (n: number) => string, choose: (at: number | undefined) => void) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>();
  const data = [times.map((at) => Date.parse(at) / 1000), ...lines.map((l) => [...l.values])] as uPlot.AlignedData;
  const now = useRef({ data, unit });
  now.current = { data, unit };
  useEffect(() => {
    let over = false;
    let observer: ResizeObserver | undefined;
    void import('uplot').then(({ default: Plot }) => {
      const within = box.current;
      if (over || !within) return;
      plot.current = new Plot(options(within, lines, (n) => now.current.unit(n), choose), now.current.data, within);
      observer = new ResizeObserver(() => plot.current?.setSize({ width: within.clientWidth, height }));
      observer.observe(within);
    }, () => undefined);
    return () => {
      over = true;
      observer?.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [lines.length]);
  useEffect(() => plot.current?.setData(now.current.data), [times, lines.map((l) => l.name).join()]);
  // Its colours are read when it is drawn.
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const draw = () => plot.current?.redraw(false, true);
    draw();
    dark.addEventListener('change', draw);
    return () => dark.removeEventListener('change', draw);
  }, [theme.value]);
  const point = (at: number | undefined) => {
    const p = plot.current;
    const x = at === undefined ? undefined : p?.data[0][at];
    p?.setCursor(x === undefined ? { left: -10, top: -10 } : { left: p.valToPos(x, 'x'), top: 0 }, false);
  };
  return { box, point };
}
