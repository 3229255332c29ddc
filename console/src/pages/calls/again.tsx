// Running a call again, as a new call. Its arguments are kept without their secrets, if at
// all, so a person completes them; whether they are those of the old call, the hash tells.

import { useEffect, useState } from 'preact/hooks';
import { api } from '../../api/client';
import { asProblem } from '../../api/problem';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { Plain } from '../../components/plain';
import { parse } from '../../lib/exact';
import { readable } from '../../lib/preview';
import { toast } from '../../components/toast';
import { navigate } from '../../app/router';
import { me } from '../../app/session';
import { t } from '../../text';
import { hashOf } from './hash';

interface Props {
  readonly id: string;
  readonly tool: string;
  readonly hash: string | undefined;
  readonly given: unknown;
  readonly consent: string | undefined;
  readonly of: { readonly user?: string | undefined; readonly agent?: string | undefined; readonly conversation?: string | undefined };
}

export function Again(props: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t().calls.again}</Button>
      {open && <Dialog title={t().calls.againTitle} onClose={() => setOpen(false)}><Form {...props} /></Dialog>}
    </>
  );
}

function Form({ id, tool, hash, given, consent, of }: Props) {
  const [text, setText] = useState('{}');
  const [wrong, setWrong] = useState('');
  const [same, setSame] = useState<boolean>();
  const [busy, setBusy] = useState(false);
  useEffect(() => { void begin(tool, of.user, given, consent).then((found) => setText((now) => (now === '{}' ? found : now))); }, []);
  useEffect(() => {
    let over = false;
    setSame(undefined);
    const args = parsed(text);
    setWrong(args === undefined ? t().calls.notObject : '');
    if (args && hash) void hashOf(args).then((h) => { if (!over && h) setSame(h === hash); });
    return () => { over = true; };
  }, [text]);
  const run = async () => {
    const args = parsed(text);
    if (!args) return;
    setBusy(true);
    try {
      const context = { ...(me.value.user ? {} : { user: of.user }), ...(me.value.agent ? {} : { agent: of.agent }), conversation: of.conversation };
      const known = Object.fromEntries(Object.entries(context).filter(([, v]) => v));
      const answer = await api.post('/v1/execute', { body: { context: known, wait_ms: 0, calls: [{ tool, arguments: args, rerun_of: id }] } });
      const call = answer.results[0];
      if (call) navigate(`/calls/${encodeURIComponent(call.call_id)}`);
    } catch (err) {
      toast(t().problems(asProblem(err)), 'bad');
      setBusy(false);
    }
  };
  // The call is the caller's own: made for the person of the old one only where no credential
  // names a person.
  const user = me.value.user || of.user;
  const agent = me.value.agent || of.agent;
  return (
    <form onSubmit={(e) => { e.preventDefault(); if (!busy) void run(); }}>
      <label class="field">{t().calls.arguments}
        <textarea class="calls-code" rows={10} spellcheck={false} value={text} aria-invalid={wrong !== '' || undefined} aria-describedby="again-hint" onInput={(e) => setText(e.currentTarget.value)} />
      </label>
      <p id="again-hint" class={wrong ? 'bad' : 'faint'} role="status">{wrong || (same === undefined ? t().calls.againHint : same ? t().calls.sameArguments : t().calls.otherArguments)}</p>
      <p>{user ? <>{t().calls.runsAs} <strong><Plain text={user} /></strong></> : t().calls.runsAsNobody}{agent && <>{t().calls.runsFor} <strong><Plain text={agent} /></strong></>}.
        {of.user && user !== of.user && <> {t().calls.ranAs} <strong><Plain text={of.user} /></strong>.</>}</p>
      <div class="buttons"><Button type="submit" kind="primary" busy={busy} disabled={wrong !== ''}>{t().calls.again}</Button></div>
    </form>
  );
}

// begin returns arguments to begin with: those that a person was asked about, with what is
// hidden still hidden, else the tool's example.
async function begin(tool: string, user: string | undefined, given: unknown, consent: string | undefined): Promise<string> {
  if (given !== undefined) return JSON.stringify(readable(given), null, 2);
  const query = user ? { user } : {};
  try {
    if (consent) return JSON.stringify(readable((await api.get('/v1/consents/{consent_id}', { path: { consent_id: consent }, query })).arguments), null, 2);
  } catch {
    // It is not kept for long.
  }
  try {
    const { example } = await api.get('/v1/tools/{name}', { path: { name: tool }, query });
    return JSON.stringify(example ?? {}, null, 2);
  } catch {
    return '{}';
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value = parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
