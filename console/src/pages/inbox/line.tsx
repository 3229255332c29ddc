// A request as a row of the inbox.

import { Countdown, Time } from '../../components/time';
import type { Group, Line } from '../../components/list/definition';
import type { Outcome } from '../../components/list/outcome';
import { Pieces, Short } from '../../components/plain';
import type { Consent } from '../../consent/host';
import { unescaped } from '../../lib/preview';
import { cutPieces } from '../../lib/visible';
import { t } from '../../text';

// A longer sentence is cut in its row.
const most = 160;

// What says in one line what will happen, in the server's words. Nothing in it can be pressed.
export function What({ of: c }: { of: Consent }) {
  if (c.kind === 'question') return <Short text={c.question ?? ''} most={most} />;
  const { head, tail, left } = cutPieces(unescaped(c.sentence ?? c.tool), most);
  return <bdi class="plain inbox-object"><Pieces of={head} />{left > 0 && '…'}<Pieces of={tail} /></bdi>;
}

const outcomes: Readonly<Record<string, Outcome>> = { pending: 'waits', granted: 'granted', denied: 'denied', expired: 'expired', cancelled: 'cancelled', refused: 'denied' };

export function line(c: Consent): Line {
  const pending = c.status === 'pending';
  const word = pending ? (c.kind === 'question' ? t().inbox.question : t().risk[c.risk] ?? c.risk) : t().status[c.status];
  return {
    outcome: outcomes[c.status] ?? 'unknown', ...(word ? { word } : {}), ...(pending && c.kind !== 'question' ? { tone: c.risk === 'high' ? 'bad' : c.risk === 'medium' ? 'warn' : 'calm' } : {}),
    what: <What of={c} />, agent: c.agent, user: c.user,
    when: pending ? <Countdown until={c.expires_at} /> : <Time at={c.decision?.at ?? c.expires_at} />,
  };
}

// fits reports whether a request has the words that a person looks for.
export function fits(c: Consent, words: string): boolean {
  return [c.sentence, c.tool, c.question, c.agent, c.user, c.conversation, c.consent_id, c.call.call_id, c.preview].join('\n').toLowerCase().includes(words.toLowerCase());
}

// groupOf puts the requests together that one agent makes with one tool at the same hosts.
export function groupOf(c: Consent): Group | undefined {
  if (c.kind) return undefined;
  const hosts = (c.hosts ?? []).join(', ');
  const method = (c.arguments as { readonly method?: unknown } | null)?.method;
  // Only the tool of Helve itself is named by what it does: another could name a method that it does not use.
  const verb = c.tool === 'http_request' && typeof method === 'string' ? method.toUpperCase() : c.tool;
  return {
    key: JSON.stringify([verb, c.tool, hosts, c.agent, c.risk]),
    label: <><Short text={verb} most={40} />{hosts && <> {t().inbox.groupTo} <Short text={hosts} most={60} /></>}{c.agent && <> {t().inbox.groupBy} <Short text={c.agent} most={40} /></>}</>,
  };
}
