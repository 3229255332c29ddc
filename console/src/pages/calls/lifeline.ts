// The life of a call: its steps in order, from the events, from the audit trail, and from what
// the server tells with the call, whichever still has them.

import type { Schemas } from '../../api/client';

type Event = Schemas['Event'];
type AuditRecord = Schemas['AuditRecord'];
type CallStep = Schemas['CallStep'];

// A call is queued as soon as it is accepted: acceptedQueued is told where nothing has the time
// of the second.
export type Step = 'accepted' | 'acceptedQueued' | 'queued' | 'started' | 'asked' | 'decided' | 'resumed' | 'done' | 'refused' | 'cancelled';

export interface Point {
  readonly step: Step;
  readonly at: string;
  readonly worker?: string | undefined;
  readonly attempt?: number | undefined;
  readonly detail?: string | undefined;
}

const ofEvent: Readonly<Record<string, Step>> = { queued: 'queued', started: 'started', awaiting_consent: 'asked', resumed: 'resumed', done: 'done' };
const ofPhase: Readonly<Record<string, Step>> = { started: 'started', finished: 'done', refused: 'refused', consent_requested: 'asked', consent_decided: 'decided', cancelled: 'cancelled' };

// lifeline returns the steps of a call. A step that both sources have is told once: by the
// event, whose time is that of the step, with what the record adds. Steps that come with the
// call fill in what neither has, for people who may not see records.
export function lifeline(events: readonly Event[], records: readonly AuditRecord[], steps: readonly CallStep[] = []): Point[] {
  const points: Point[] = [];
  for (const e of events) {
    const step = ofEvent[e.type];
    if (!step) continue;
    const data = (typeof e.data === 'object' && e.data !== null ? e.data : {}) as Record<string, unknown>;
    points.push({ step, at: e.time, worker: text(data['worker']), attempt: typeof data['attempt'] === 'number' ? data['attempt'] : undefined, detail: text(data['error_type']) });
  }
  for (const r of records) {
    const step = ofPhase[r.phase];
    if (!step) continue;
    const at = step === 'started' ? r.started_at ?? r.time : step === 'done' ? r.ended_at ?? r.time : r.time;
    const point = { step, at, worker: r.worker, attempt: r.attempt, detail: step === 'decided' ? r.decision?.reason : r.result?.error_type };
    const same = points.findIndex((p) => p.step === step && (step !== 'started' || p.attempt === undefined || r.attempt === undefined || p.attempt === r.attempt));
    if (same < 0) points.push(point);
    else if (points[same]) points[same] = { ...point, ...defined(points[same]) };
    // A call without side effects has a final record only, which knows when it began.
    if (step === 'done' && r.started_at && !points.some((p) => p.step === 'started')) points.push({ step: 'started', at: r.started_at, worker: r.worker, attempt: r.attempt });
  }
  const known = new Set(points.map((p) => p.step));
  for (const { step, at } of steps) {
    if (step === 'accepted') points.push({ step: known.has('queued') ? 'accepted' : 'acceptedQueued', at });
    else if (!known.has(step) && !(step === 'done' && (known.has('refused') || known.has('cancelled')))) points.push({ step, at });
  }
  points.sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || order(a.step) - order(b.step));
  // A worker that finds that a person must be asked has done nothing yet.
  return points.filter((p, i) => p.step !== 'started' || points[i + 1]?.step !== 'asked');
}

function order(step: Step): number {
  return ['accepted', 'acceptedQueued', 'queued', 'asked', 'decided', 'resumed', 'started', 'cancelled', 'refused', 'done'].indexOf(step);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function defined<T extends object>(of: T): T {
  return Object.fromEntries(Object.entries(of).filter(([, v]) => v !== undefined)) as T;
}
