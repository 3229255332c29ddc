// What a person may mean by an id or a name that they type.

export type Kind = 'consent' | 'call' | 'trace' | 'callsOfUser' | 'callsOfAgent' | 'callsOfTool' | 'search';

// targetsOf returns the addresses that a text may stand for, the likeliest first; those of
// lists only for a person who may see calls, and of others only who may see everybody's.
export function targetsOf(text: string, lists: boolean, everybody: boolean): { readonly kind: Kind; readonly href: string }[] {
  const at = encodeURIComponent(text);
  const all: { kind: Kind; href: string }[] = [];
  if (text === '') return all;
  if (lists && /^[0-9a-f]{32}$/.test(text)) all.push({ kind: 'trace', href: `/traces/${at}` });
  if (/^c-[A-Za-z0-9_-]+$/.test(text)) all.push({ kind: 'consent', href: `/consents/${at}` });
  if (/^[A-Za-z0-9_\-~]{1,140}$/.test(text)) all.push({ kind: 'call', href: `/calls/${at}` });
  if (!lists) return all;
  if (/^[A-Za-z0-9_-]{1,64}$/.test(text)) {
    if (everybody) all.push({ kind: 'callsOfUser', href: `/calls?user=${at}` });
    all.push({ kind: 'callsOfAgent', href: `/calls?agent=${at}` });
  }
  if (/^[a-zA-Z][a-zA-Z0-9_.]{0,63}$/.test(text)) all.push({ kind: 'callsOfTool', href: `/calls?tool=${at}` });
  all.push({ kind: 'search', href: `/calls?q=${at}` });
  return all;
}
