// Content of a long list that is made when it comes near the screen. It stays then: what a
// person began to write in it is not lost.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

// One observer serves all; an element each would cost more than what it saves.
const waiting = new Map<Element, () => void>();
let observer: IntersectionObserver | undefined;

function watch(element: Element, near: () => void): () => void {
  observer ??= new IntersectionObserver((entries) => {
    for (const e of entries) if (e.isIntersecting) waiting.get(e.target)?.();
  }, { rootMargin: '600px 0px' });
  waiting.set(element, near);
  observer.observe(element);
  return () => { waiting.delete(element); observer?.unobserve(element); };
}

export function Near({ now, height, children }: { now: boolean; height: string; children: () => ComponentChildren }) {
  const ref = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(now);
  useEffect(() => (near || !ref.current ? undefined : watch(ref.current, () => setNear(true))), [near]);
  return near ? <>{children()}</> : <div ref={ref} style={{ height }} />;
}
