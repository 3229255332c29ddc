// Keeps what a page shows current. The API streams events of one trace only, so lists are
// read again: only while the page is visible, and ever less often while the server does
// not answer.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { asProblem, type Problem } from './problem';

export interface Live<T> {
  readonly data: T | undefined;
  // Why the last try failed; data is then what the last success returned.
  readonly problem: Problem | undefined;
  // Reads at once; what an earlier request still brings is dropped.
  readonly refresh: () => void;
  // Replaces the data until the next answer, for changes of one's own.
  readonly set: (change: (data: T) => T) => void;
}

const longest = 30_000;

// useLive calls load, and again each `every` milliseconds after its answer (0: once), while
// the page is hidden each `hidden` milliseconds (0: not at all). When key changes it starts
// over, without the data of the other key.
export function useLive<T>(key: string, load: (signal: AbortSignal) => Promise<T>, every = 0, hidden = 0): Live<T> {
  const [state, setState] = useState<{ key: string; data?: T; problem?: Problem }>({ key });
  const wake = useRef<() => void>(() => undefined);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    let current: AbortController | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let over = false;

    const run = async () => {
      clearTimeout(timer);
      current?.abort();
      const mine = (current = new AbortController());
      try {
        const data = await latest.current(mine.signal);
        if (mine !== current || over) return;
        failures = 0;
        setState({ key, data });
      } catch (err) {
        if (mine !== current || over) return;
        failures++;
        const problem = asProblem(err);
        setState((s) => ({ ...(s.key === key ? s : { key }), problem }));
      }
      current = undefined;
      plan();
    };
    const plan = () => {
      const pace = document.hidden ? hidden : every;
      const wait = failures > 0 ? Math.max(pace, Math.min(1000 * 2 ** (failures - 1), longest)) : pace;
      if (wait > 0 && (!document.hidden || hidden > 0)) timer = setTimeout(() => void run(), wait);
    };
    const turned = () => {
      clearTimeout(timer);
      if (!document.hidden && (every > 0 || failures > 0)) void run();
      else if (!current) plan();
    };
    wake.current = () => void run();
    document.addEventListener('visibilitychange', turned);
    window.addEventListener('online', turned);
    void run();
    return () => {
      over = true;
      current?.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', turned);
      window.removeEventListener('online', turned);
    };
  }, [key, every, hidden]);

  const refresh = useCallback(() => wake.current(), []);
  const set = useCallback((change: (data: T) => T) => {
    setState((s) => (s.data === undefined ? s : { ...s, data: change(s.data) }));
  }, []);
  const ours = state.key === key;
  return { data: ours ? state.data : undefined, problem: ours ? state.problem : undefined, refresh, set };
}
