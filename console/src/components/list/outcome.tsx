// The state of a row as a glyph: a shape and a colour, with the word for those who see neither.

import { t } from '../../text';

export type Outcome =
  | 'success' | 'failed' | 'denied' | 'cancelled' | 'timed_out' | 'unknown' | 'expired'
  | 'queued' | 'running' | 'waits' | 'granted' | 'noted';

export type Tone = 'good' | 'bad' | 'warn' | 'calm';

// Shapes on a ground of 16 by 16, drawn with a line.
const shapes: Readonly<Record<Outcome, readonly [tone: Tone, path: string]>> = {
  success: ['good', 'M3 8.5 6.5 12 13 4.5'],
  granted: ['good', 'M3 8.5 6.5 12 13 4.5'],
  failed: ['bad', 'M4 4 12 12M12 4 4 12'],
  denied: ['bad', 'M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2M4 12 12 4'],
  cancelled: ['warn', 'M4 4h8v8H4z'],
  timed_out: ['warn', 'M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2M8 4.5V8l2.5 2'],
  expired: ['warn', 'M4 2h8M4 14h8M5 2c0 4 6 8 6 12M11 2c0 4-6 8-6 12'],
  unknown: ['bad', 'M5 6a3 3 0 1 1 4.5 2.5C8.5 9 8 9.5 8 10.5M8 13v.5'],
  queued: ['calm', 'M3 5h10M3 8h10M3 11h10'],
  running: ['calm', 'M5 3.5 12 8 5 12.5z'],
  waits: ['warn', 'M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2M8 5v4M8 11v.5'],
  noted: ['calm', 'M8 6.5a1.5 1.5 0 1 0 0 3a1.5 1.5 0 1 0 0-3'],
};

// Glyph shows an outcome. The word replaces that of the outcome for a screen reader.
export function Glyph({ of, word, tone }: { of: Outcome; word?: string | undefined; tone?: Tone | undefined }) {
  const [own, path] = shapes[of];
  const says = word ?? t().list.outcomes[of];
  return (
    <span class={`glyph ${tone ?? own}`} title={says}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d={path} /></svg><span class="sr">{says}: </span>
    </span>
  );
}

// ofError returns the outcome of a call that failed.
export function ofError(type: string | undefined): Outcome {
  switch (type) {
    case 'permission_denied': case 'policy_denied': return 'denied';
    case 'cancelled': return 'cancelled';
    case 'timeout': return 'timed_out';
    case 'consent_expired': return 'expired';
    case 'outcome_unknown': return 'unknown';
    default: return 'failed';
  }
}

// ofCall returns the outcome of a call by its state and status.
export function ofCall(c: { readonly state: string; readonly status: string; readonly error_type?: string }): Outcome {
  if (c.state === 'queued' || c.state === 'running') return c.state;
  if (c.state === 'awaiting_consent' || c.state === 'waiting') return 'waits';
  return c.status === 'error' ? ofError(c.error_type) : c.status === 'success' ? 'success' : 'unknown';
}

// toneOf returns the colour of an outcome, by which the histogram stacks calls.
export function toneOf(of: Outcome): Tone {
  return shapes[of][0];
}
