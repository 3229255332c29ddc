// Times and durations in words, in the language of the page.

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

// relative returns "3 minutes ago" or "in 3 minutes".
export function relative(then: number, now: number, language: string): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'long' });
  const apart = then - now;
  for (const [unit, ms] of units) {
    if (Math.abs(apart) >= ms) return format.format(Math.trunc(apart / ms), unit);
  }
  return format.format(0, 'second');
}

// absolute returns date, time and zone, to the millisecond.
export function absolute(then: number, language: string): string {
  return new Intl.DateTimeFormat(language, {
    year: 'numeric', month: 'short', day: 'numeric',
    hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, timeZoneName: 'short',
  }).format(then);
}

// moment returns date and time, to the minute, or '' for none.
export function moment(then: number, language: string): string {
  if (Number.isNaN(then)) return '';
  return new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' }).format(then);
}

// clock returns a remaining time as 1:05, or 2:03:00 from an hour on; never less than 0:00.
export function clock(ms: number): string {
  const left = Math.max(0, Math.ceil(ms / 1000));
  const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

// duration returns a time in milliseconds with a unit that suits it.
export function duration(ms: number, language: string): string {
  const number = (n: number, digits: number) => n.toLocaleString(language, { maximumFractionDigits: digits });
  if (ms < 1000) return `${number(ms, ms < 10 ? 1 : 0)} ms`;
  if (ms < 60_000) return `${number(ms / 1000, 1)} s`;
  return clock(ms);
}
