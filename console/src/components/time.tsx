// Times: relative, with the absolute one in the title, or beside it.

import { useNow } from '../lib/now';
import { absolute, clock, duration, relative } from '../lib/time';
import { exact } from '../lib/times';
import { language, t } from '../text';

export function Time({ at }: { at: string | undefined }) {
  const now = useNow();
  const then = Date.parse(at ?? '');
  if (Number.isNaN(then)) return <span class="faint">–</span>;
  const [date, ago] = [absolute(then, language.value), relative(then, Math.max(now, then > now + 60_000 ? now : then), language.value)];
  return <time dateTime={at ?? ''} title={date}>{ago}{exact.value && <small class="faint time-exact"> {date}</small>}</time>;
}

// Countdown is a clock that runs until a time. It is no live region: a reader would be
// told each second.
export function Countdown({ until }: { until: string }) {
  const left = Date.parse(until) - useNow();
  return <time class={left < 60_000 ? 'clock soon' : 'clock'} dateTime={until} title={absolute(Date.parse(until), language.value)} role="timer" aria-live="off">{left > 0 ? clock(left) : t().time.over}</time>;
}

export function Duration({ ms }: { ms: number | undefined }) {
  return ms === undefined ? <span class="faint">–</span> : <span class="number">{duration(ms, language.value)}</span>;
}
