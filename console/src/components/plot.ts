// How uPlot draws a chart.

import type uPlot from 'uplot';
import { language } from '../text';
import type { Line } from './chart';

export const height = 150;
const day = 86_400;

// options returns the settings of a chart within an element. Colours are those of the design,
// read when it is drawn, because light and dark change.
export function options(within: HTMLElement, lines: readonly Line[], unit: (n: number) => string, choose: (at: number | undefined) => void): uPlot.Options {
  const color = (name: string) => () => getComputedStyle(within).getPropertyValue(`--${name}`);
  const font = `12px ${getComputedStyle(within).fontFamily}`;
  const axis = { stroke: color('faint'), font, grid: { stroke: color('line'), width: 1 }, ticks: { show: false } };
  return {
    width: within.clientWidth, height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_u, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis, space: 60, size: 28, values: (_u, splits) => splits.map((at) => label(at, (splits.at(-1) ?? 0) - (splits[0] ?? 0))) },
      { ...axis, space: 30, size: 68, values: (_u, splits) => splits.map(unit) },
    ],
    series: [{}, ...lines.map((l): uPlot.Series => ({
      label: l.name, stroke: color(l.kind), width: 2, ...(l.kind === 'bad' ? { dash: [5, 3] } : {}),
      points: { show: true, size: 4, filter: (u, series) => alone(u.data[series] ?? []) },
    }))],
    hooks: { setCursor: [(u) => choose(u.cursor.idx ?? undefined)] },
  };
}

// alone returns the places of the values that no line goes through.
export function alone(values: ArrayLike<number | null | undefined>): number[] {
  const known = (i: number) => values[i] !== null && values[i] !== undefined;
  return Array.from({ length: values.length }, (_, i) => i).filter((i) => known(i) && !known(i - 1) && !known(i + 1));
}

// label returns what an axis shows at a time: the clock, and of more than a day the date at
// midnight.
export function label(seconds: number, span: number): string {
  const at = new Date(seconds * 1000);
  const midnight = at.getHours() === 0 && at.getMinutes() === 0;
  return new Intl.DateTimeFormat(language.value, span >= day && midnight ? { day: 'numeric', month: 'numeric' } : { hour: '2-digit', minute: '2-digit' }).format(at);
}
