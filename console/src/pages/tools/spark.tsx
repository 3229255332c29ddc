// The calls of a tool over a day as a small line, and its failed calls as another.

import type { Schemas } from '../../api/client';
import { t } from '../../text';

const [width, height] = [72, 18];

export function Spark({ of: s }: { of: Schemas['ToolStat'] }) {
  const most = Math.max(1, ...s.calls_over);
  return (
    <svg class="tools-spark" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={t().tools.over(s.calls, s.errors)}>
      <path class="good" d={path(s.calls_over, most)} />
      {s.errors > 0 && <path class="bad" d={path(s.errors_over, most)} />}
    </svg>
  );
}

// path returns the line through values as SVG writes it.
export function path(values: readonly number[], most: number): string {
  const step = width / Math.max(1, values.length - 1);
  return values.map((v, i) => `${i === 0 ? 'M' : 'L'}${round(i * step)} ${round(height - 1 - (v / most) * (height - 2))}`).join('');
}

function round(n: number): number {
  return Math.round(n * 10) / 10;
}
