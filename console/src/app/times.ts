// Who reads date and clock beside "3 minutes ago": as a person chose, else auditors who are
// signed in.

import { effect, signal } from '@preact/signals';
import { read, write } from '../lib/stored';
import { exact } from '../lib/times';
import { has, me } from './session';

export type Times = '' | 'both' | 'relative';

const chosen = signal<Times>(read('times') as Times);

effect(() => { exact.value = chosen.value ? chosen.value === 'both' : me.value.authenticated && has('auditor'); });

export function setTimes(to: Times): void {
  chosen.value = to;
  write('times', to);
}
