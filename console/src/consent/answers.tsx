// How a person answers a request, with what each answer makes remembered.

import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { asProblem } from '../api/problem';
import { Button } from '../components/button';
import { Plain } from '../components/plain';
import { toast } from '../components/toast';
import { t } from '../text';
import { terms, type Choice, type Consent, type Host, type Term } from './host';
import { Question, answerOf } from './question';

interface Props {
  readonly of: Consent;
  readonly host: Host;
  // The request is the only one in view, so that it has the primary action.
  readonly alone: boolean;
  readonly decided: (c: Consent, problem?: string) => void;
  // Reads the request again after somebody else decided it.
  readonly conflict: () => Promise<void>;
}

export function Answers({ of: c, host, alone, decided, conflict }: Props) {
  const [busy, setBusy] = useState(false);
  const [term, setTerm] = useState<Term>('once');
  const [never, setNever] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const allowed = host.may(c);
  const hint = useId();

  const say = async (choice: Choice) => {
    setBusy(true);
    try {
      decided(await host.decide(c, choice));
    } catch (err) {
      const problem = asProblem(err);
      toast(t().problems(problem), 'bad');
      if (problem.status === 409 || problem.status === 404) await conflict();
    } finally {
      setBusy(false);
    }
  };
  const comment = () => (form.current?.elements.namedItem('comment') as HTMLTextAreaElement | null)?.value ?? '';
  const grant = () => {
    if (c.kind === 'question' && !form.current?.reportValidity()) return;
    void say({ decision: 'grant', comment: comment(), ...(c.kind === 'question' && form.current ? { answer: answerOf(c.schema, form.current) } : { remember: term }) });
  };

  if (allowed === 'nothing') return <p class="faint">{t().inbox.notYours}</p>;
  const can = terms(c);
  return (
    <form ref={form} class="stack" onSubmit={(e) => { e.preventDefault(); if (!busy && allowed === 'grant') grant(); }}>
      {c.kind === 'question' && <div><Question schema={c.schema} /></div>}
      {c.kind === 'account' && ((host.connects?.(c) ?? true) ? <Connect url={c.connect_url} service={c.service ?? ''} /> : <p class="faint"><Plain text={t().inbox.connectTheirs(c.user)} most={200} /></p>)}
      {c.kind !== 'account' && allowed === 'deny' && <p class="faint">{t().inbox.approverOnly}</p>}
      {allowed === 'grant' && can.length > 1 && (
        <fieldset class="inbox-terms">
          <legend>{t().inbox.remember}</legend>
          {can.map((x) => (
            <label key={x} class="check"><input type="radio" name="remember" checked={term === x} onChange={() => setTerm(x)} />{t().inbox.terms[x]}</label>
          ))}
        </fieldset>
      )}
      <div class="buttons inbox-answers">
        {allowed === 'grant' && <Button type="submit" answer="grant" kind={alone ? 'primary' : 'plain'} busy={busy} describedBy={hint}>{c.kind === 'question' ? t().inbox.answer : t().inbox.grant[term]}</Button>}
        <Button kind="bad" answer="deny" busy={busy} onClick={() => say({ decision: 'deny', neverAsk: never, comment: comment() })}>{never ? t().inbox.denyNever : t().inbox.deny}</Button>
      </div>
      <p id={hint} class="small faint">{c.kind === 'account' ? t().inbox.meansAccount : c.kind === 'question' ? t().inbox.meansAnswer : t().inbox.means[term](<Name of={c} />, c)}</p>
      <details open={alone || undefined}>
        <summary>{t().inbox.options}</summary>
        <div class="inbox-options">
          {allowed === 'grant' && c.risk === 'high' && c.kind !== 'question' && <p class="small faint">{t().inbox.highOnce}</p>}
          {c.kind !== 'question' && (
            <label class="check"><input type="checkbox" checked={never} onChange={(e) => setNever(e.currentTarget.checked)} />{t().inbox.never}</label>
          )}
          <label class="field">{t().inbox.comment}<textarea name="comment" maxLength={1000} rows={2} /><small>{t().inbox.commentHint}</small></label>
        </div>
      </details>
    </form>
  );
}

// Name is what a remembered answer is about.
function Name({ of: c }: { of: Consent }): ComponentChildren {
  const about = [...(c.for_tool ? [c.subject || c.tool] : []), ...c.permissions];
  return <strong><Plain text={about.join(', ')} most={120} /></strong>;
}

// Connect leads to the page of the provider, which only a person's own browser can open.
function Connect({ url, service }: { url: string | undefined; service: string }) {
  let safe: URL | undefined;
  try {
    safe = new URL(url ?? '', location.origin);
  } catch {
    // Not an address.
  }
  if (!safe || !/^https?:$/.test(safe.protocol)) return <p class="bad">{t().inbox.noLink}</p>;
  return <p><a class="button primary" href={safe.href} target="_blank" rel="noopener noreferrer">{t().inbox.connect} <Plain text={service} /></a></p>;
}
