// The time of the server, for what changes with it: one timer for the whole page, which rests
// while the page is hidden.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { serverNow } from './clock';

const now = signal(serverNow());
let readers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function arrange(): void {
  clearInterval(timer);
  timer = undefined;
  if (readers === 0 || document.hidden) return;
  now.value = serverNow();
  timer = setInterval(() => { now.value = serverNow(); }, 1000);
}

// useNow returns the time, and renders again each second.
export function useNow(): number {
  useEffect(() => {
    if (readers++ === 0) document.addEventListener('visibilitychange', arrange);
    if (!timer) arrange();
    return () => {
      if (--readers > 0) return;
      document.removeEventListener('visibilitychange', arrange);
      arrange();
    };
  }, []);
  return now.value;
}
