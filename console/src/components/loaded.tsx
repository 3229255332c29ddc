// What a page shows of what it loads: that it loads, why it could not, or the thing itself,
// with a word if it may be old.

import type { ComponentChildren } from 'preact';
import type { Live } from '../api/live';
import { t } from '../text';
import { Failure, Stale } from './failure';

export function Loaded<T>({ of, children }: { of: Live<T>; children: (data: T) => ComponentChildren }) {
  if (of.data === undefined) return of.problem ? <Failure problem={of.problem} retry={of.refresh} /> : <p class="faint" aria-busy="true">{t().common.loading}</p>;
  return <><Stale problem={of.problem} />{children(of.data)}</>;
}
