// Ids and names that lead to what there is of them.

import { has, me } from '../app/session';
import { Short } from './plain';

export type Named = 'tool' | 'user' | 'agent' | 'conversation' | 'pool' | 'worker' | 'call' | 'trace' | 'consent' | 'program';

// placeOf returns the address of what there is of a name: its page, or the list of calls that
// it filters. It is undefined for those who may not see that.
export function placeOf(name: Named, value: string): string | undefined {
  const at = encodeURIComponent(value);
  if (name === 'call') return `/calls/${at}`;
  if (name === 'program') return `/programs/${at}`;
  if (name === 'consent') return `/consents/${at}`;
  if (!has('user', 'auditor', 'admin') || (name === 'user' && value !== me.value.user && !has('auditor', 'admin'))) return undefined;
  if (name === 'trace') return `/traces/${at}`;
  return name === 'conversation' ? `/conversations/${at}` : `/calls?${name}=${at}`;
}

export function Linked({ name, value, most = 80 }: { name: Named; value: string; most?: number }) {
  const href = placeOf(name, value);
  return href ? <a href={href}><Short text={value} most={most} /></a> : <Short text={value} most={most} />;
}
