// Keys of a page: single letters, as long as nobody types and no dialog is open.

import { useEffect, useRef } from 'preact/hooks';

export type Keys = Readonly<Record<string, (e: KeyboardEvent) => void>>;

// typing reports whether a key belongs to what has the focus.
export function typing(e: KeyboardEvent): boolean {
  const on = e.target instanceof Element ? e.target : undefined;
  return !!on?.closest('input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable], dialog') || document.querySelector('dialog[open]') !== null;
}

// useKeys calls the function of a pressed key. A key that is held down counts once.
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const pressed = (e: KeyboardEvent) => {
      if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.isComposing || typing(e)) return;
      const act = Object.hasOwn(latest.current, e.key) ? latest.current[e.key] : undefined;
      if (!act || (e.repeat && e.key !== 'j' && e.key !== 'k')) return;
      e.preventDefault();
      act(e);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}
