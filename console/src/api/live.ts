// Keeps what a page shows current. The API streams events of one trace only, so lists are
// polled: only while the page is visible, and ever less often while the server does not
// answer.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { asProblem, isAbort, type Problem } from './problem';

export interface Live<T> {
  readonly data: T | undefined;
  // Why the last try failed; data is then what the last success returned.
  readonly problem: Problem | undefined;
  readonly refresh: () => void;
  // Replaces the data until the next answer, for changes of one's own.
  readonly set: (change: (data: T) => T) => void;
}

const longest = 30_000;

// useLive calls load, and again each `every` milliseconds after its answer (0: once). When
// key changes it starts over, without the data of the other key.
export function useLive<T>(key: string, load: (signal: AbortSignal) => Promise<T>, every = 0): Live<T> {
  const [state, setState] = useState<{ key: string; data?: T; problem?: Problem }>({ key });
  const wake = useRef<() => void>(() => undefined);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let running = false;
    let again = false;
    let failures = 0;

    const run = async () => {
      clearTimeout(timer);
      if (running) {
        again = true;
        return;
      }
      running = true;
      again = false;
      try {
        const data = await latest.current(over.signal);
        failures = 0;
        if (!over.signal.aborted) setState({ key, data });
      } catch (err) {
        if (isAbort(err) || over.signal.aborted) return;
        failures++;
        setState((s) => ({ ...(s.key === key ? s : { key }), problem: asProblem(err) }));
      } finally {
        running = false;
      }
      if (again) {
        void run();
        return;
      }
      const wait = failures > 0 ? Math.min(1000 * 2 ** (failures - 1), longest) : every;
      if (wait > 0 && !document.hidden && !over.signal.aborted) timer = setTimeout(run, wait);
    };
    const shown = () => {
      if (document.hidden) clearTimeout(timer);
      else if (every > 0 || failures > 0) void run();
    };
    wake.current = () => void run();
    document.addEventListener('visibilitychange', shown);
    window.addEventListener('online', shown);
    void run();
    return () => {
      over.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', shown);
      window.removeEventListener('online', shown);
    };
  }, [key, every]);

  const refresh = useCallback(() => wake.current(), []);
  const set = useCallback((change: (data: T) => T) => {
    setState((s) => (s.data === undefined ? s : { ...s, data: change(s.data) }));
  }, []);
  const current = state.key === key;
  return { data: current ? state.data : undefined, problem: current ? state.problem : undefined, refresh, set };
}
