// A call of a tool: its state as events come, what it needs of the person, and on demand its
// arguments and its result.

import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { Code } from '../../../console/src/components/code';
import { Json } from '../../../console/src/components/json';
import { Plain } from '../../../console/src/components/plain';
import type { Consent } from '../../../console/src/consent/host';
import { Act, Request } from '../../../console/src/consent/request';
import { Arguments } from '../../../console/src/consent/shown';
import type { Call, CallState } from './conversation';
import { host } from './host';
import { helve, person, settle } from './server';
import { text } from './text';

const tones: Readonly<Record<CallState, string>> = { queued: 'calm', running: 'calm', waiting: 'warn', done: 'good', failed: 'bad' };

export function CallCard({ call, asked }: { call: Call; asked: Consent | undefined }) {
  const id = useId();
  const over = call.state === 'done' || call.state === 'failed';
  const state = asked?.status === 'pending' && !over ? 'waiting' : call.state;
  return (
    <article class="call card" data-call={call.id} data-state={state} aria-labelledby={id}>
      <header>
        <h2 id={id}><span class="sr">{text().call} </span><Plain text={call.tool} most={80} /></h2>
        <span class={`badge ${tones[state]} ${state}`}>{text().state[state]}</span>
      </header>
      {asked && (
        <section class={asked.status === 'pending' ? 'consent stack pending' : 'consent stack'} data-consent={asked.consent_id} aria-labelledby={`${id}-act`}>
          <p id={`${id}-act`} class="act"><Act of={asked} /></p>
          <Request of={asked} host={host} settle={settle} />
        </section>
      )}
      {call.progress && !over && <p class="progress small"><Plain text={call.progress} most={400} /></p>}
      {call.state === 'failed' && call.outcome !== undefined && <p class="failure-text"><code>{call.error}</code> <Plain text={call.outcome} most={600} /></p>}
      {asked?.status !== 'pending' && <Details call={call} over={over} />}
    </article>
  );
}

function Details({ call, over }: { call: Call; over: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{text().details}</summary>
      {open && <div class="stack">
        <section class="args"><h3>{text().args}</h3><Given call={call} over={over} /></section>
        <section class="result"><h3>{text().result}</h3>{over && call.outcome !== undefined ? <Outcome text={call.outcome} /> : <p class="faint">{text().noResult}</p>}</section>
      </div>}
    </details>
  );
}

// Given reads the arguments when they are looked at, and again when the call is done:
// until then Helve may not have them.
function Given({ call, over }: { call: Call; over: boolean }) {
  const [args, setArgs] = useState<unknown>();
  useEffect(() => {
    let gone = false;
    helve.request('get', '/v1/calls/{call_id}', { path: { call_id: call.id }, query: { include: 'arguments' } }).then((found) => { if (!gone) setArgs(found.arguments ?? undefined); }, () => undefined);
    return () => { gone = true; };
  }, [call.id, over]);
  if (args === undefined) return <p class="faint">{text().noArgs}</p>;
  return <Arguments of={{ tool: call.tool, arguments: args, user: person.value ?? '' }} host={host} />;
}

function Outcome({ text: result }: { text: string }) {
  const value = useMemo(() => parsed(result), [result]);
  return typeof value === 'object' && value !== null ? <Json value={value} label={text().result} /> : <Code code={typeof value === 'string' ? value : result} label={text().result} />;
}

// parsed returns a JSON value, or undefined for a text, or one that was cut.
function parsed(result: string): unknown {
  try {
    return JSON.parse(result) as unknown;
  } catch {
    return undefined;
  }
}
