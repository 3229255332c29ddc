// The events of a trace as they come.

import { useEffect, useState } from 'preact/hooks';
import { urlOf, type Schemas } from '../../api/client';
import { follow } from '../../api/events';
import type { Problem } from '../../api/problem';

export type Event = Schemas['Event'];

export interface Stream {
  readonly events: readonly Event[];
  readonly connected: boolean;
  readonly refused: Problem | undefined;
}

// So many are kept: a call may report progress without end.
const most = 2000;

// useEvents follows a trace; an empty one has no events.
export function useEvents(trace: string): Stream {
  const [events, setEvents] = useState<readonly Event[]>([]);
  const [connected, setConnected] = useState(false);
  const [refused, setRefused] = useState<Problem>();
  useEffect(() => {
    setEvents([]);
    setRefused(undefined);
    if (!trace) return undefined;
    const over = new AbortController();
    let waiting: Event[] = [];
    let frame = 0;
    const seen = new Set<string>();
    // What comes within a frame is rendered together.
    const render = () => { frame = 0; const got = waiting; waiting = []; setEvents((e) => [...e, ...got].slice(-most)); };
    void follow(urlOf('/v1/events', {}, { trace_id: trace }), over.signal, {
      message: (m) => {
        if (seen.has(m.id)) return;
        if (m.id) seen.add(m.id);
        try {
          waiting.push(JSON.parse(m.data) as Event);
        } catch {
          return;
        }
        frame ||= requestAnimationFrame(render);
      },
      connected: setConnected,
      refused: setRefused,
    });
    return () => { over.abort(); cancelAnimationFrame(frame); };
  }, [trace]);
  return { events, connected, refused };
}
