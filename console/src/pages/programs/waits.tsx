// What a program waits for, each with the way to it.

import type { ComponentChildren } from 'preact';
import type { Schemas } from '../../api/client';
import { Short } from '../../components/plain';
import { Time } from '../../components/time';
import { t } from '../../text';
import type { Program } from './use';

// More are only counted: a program may sleep in many places.
const most = 70;

export function Waits({ of: p }: { of: Program }) {
  const all = p.state === 'waiting' ? p.waiting_for ?? [] : [];
  if (all.length === 0) return null;
  const steps = new Map(p.steps.map((s) => [s.call_id, s]));
  return (
    <section class="calls-waits" aria-labelledby="waits">
      <h2 id="waits">{t().programs.waitsFor}</h2>
      <ul>
        {all.slice(0, most).map((w, i) => <li key={i}><Wait of={w} step={steps.get(w.call_id ?? '')} /></li>)}
        {all.length > most && <li>{t().plain.more(all.length - most)}</li>}
      </ul>
    </section>
  );
}

function Wait({ of: w, step }: { of: Schemas['ProgramWait']; step: Schemas['ProgramStep'] | undefined }): ComponentChildren {
  const text = t().programs;
  const call = `/calls/${encodeURIComponent(w.call_id ?? '')}`;
  const place = step && <span class="faint">{text.ofStep(step.n, step.line)}</span>;
  const decide = (label: string) => <a href={w.consent_id ? `/consents/${encodeURIComponent(w.consent_id)}` : call}>{label}</a>;
  switch (w.kind) {
    case 'answer': return <>{decide(text.answer)} {place}</>;
    case 'consent': return <>{decide(text.decide)} {step && <Short text={step.tool} most={64} />} {place}</>;
    case 'sleep': return <>{text.waits.sleep} <Time at={w.until} /></>;
    default: return <><a href={call}>{text.call}</a> {step && <Short text={step.tool} most={64} />} {place}</>;
  }
}
