// The search box of a list.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Search as Of } from './definition';

// A search begins when the person pauses.
const typing = 250;

export function Search<R>({ of, value, change }: { of: Of<R>; value: string; change: (c: Record<string, string>) => void }) {
  const [words, setWords] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => setWords(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (text: string) => {
    setWords(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => change({ [of.name]: text.trim() }), typing);
  };
  return (
    <search class="list-search">
      <input type="search" name={of.name} aria-label={of.label} placeholder={of.label} title={of.hint} value={words} maxLength={200} autocomplete="off" spellcheck={false}
        onInput={(e) => search(e.currentTarget.value)} onKeyDown={(e) => { if (e.key === 'Escape' && !words) e.currentTarget.blur(); }} />
    </search>
  );
}
