// The life line of a call, and its events.

import type { Schemas } from '../../api/client';
import type { Problem } from '../../api/problem';
import { Json } from '../../components/json';
import { Plain } from '../../components/plain';
import { Time } from '../../components/time';
import { duration } from '../../lib/time';
import { language, t } from '../../text';
import type { Event } from './events';
import { lifeline } from './lifeline';

interface LifeProps {
  readonly events: readonly Event[];
  readonly records: readonly Schemas['AuditRecord'][];
  readonly steps: readonly Schemas['CallStep'][] | undefined;
}

export function Life({ events, records, steps }: LifeProps) {
  const points = lifeline(events, records, steps);
  if (points.length === 0) return null;
  return (
    <section class="stack" aria-labelledby="life">
      <h2 id="life">{t().calls.life}</h2>
      <ol class="calls-life">
        {points.map((p, i) => {
          const before = points[i - 1];
          const apart = before ? Date.parse(p.at) - Date.parse(before.at) : 0;
          return (
            <li key={i} class={`calls-step ${p.step}`}>
              <strong>{t().calls.steps[p.step]}</strong> <Time at={p.at} /> {before && <span class="faint number">+{duration(apart, language.value)}</span>}
              {(p.worker || p.detail) && <span class="faint"> {p.worker && <Plain text={p.worker} />}{p.attempt && p.attempt > 1 ? ` ${t().calls.attempt(p.attempt)}` : ''} {p.detail && <Plain text={p.detail} most={200} />}</span>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

// Events are what the call itself told: progress, logs, parts of its result.
export function Events({ of, connected, refused, done }: { of: readonly Event[]; connected: boolean; refused: Problem | undefined; done: boolean }) {
  const told = of.filter((e) => e.type === 'progress' || e.type === 'log' || e.type === 'partial');
  if (refused) return null;
  return (
    <section class="stack" aria-labelledby="events">
      <h2 id="events">{t().calls.events}</h2>
      {told.length === 0 && <p class="faint">{done ? t().calls.noEvents : connected ? t().calls.eventsCome : t().calls.connecting}</p>}
      <div role="log" aria-labelledby="events"><ol class="calls-events">
        {told.slice(-most).map((e) => (
          <li key={e.id}><span class="faint"><Time at={e.time} /> {t().calls.eventTypes[e.type] ?? e.type}</span> <Json value={e.data} label={t().calls.eventTypes[e.type] ?? e.type} /></li>
        ))}
      </ol></div>
    </section>
  );
}

// The newest of more events are shown.
const most = 200;
