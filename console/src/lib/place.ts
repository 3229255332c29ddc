// Keeps what a person reads where it is on the screen while things come and go above it.

import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

// usePlace keeps the place in a list when `of` has changed. The anchor is the focused thing
// in the list, or the first of its children that can be seen; at the top of the page, where
// nothing is focused, what comes first is to be seen. The list's own style must set
// overflow-anchor: none, since not every browser does this by itself.
export function usePlace(list: RefObject<HTMLElement>, of: unknown): void {
  const restore = list.current ? hold(list.current) : undefined; // the page is still as before
  useLayoutEffect(() => restore?.(), [of]);
}

function hold(list: HTMLElement): (() => void) | undefined {
  const anchor = focusedIn(list) ?? (scrollY > 0 ? [...list.children].find((child) => child.getBoundingClientRect().bottom > 0) : undefined);
  if (!anchor) return undefined;
  const top = anchor.getBoundingClientRect().top;
  return () => {
    if (anchor.isConnected) scrollBy({ top: anchor.getBoundingClientRect().top - top, behavior: 'instant' });
  };
}

function focusedIn(list: HTMLElement): Element | undefined {
  const focused = document.activeElement;
  if (!focused || !list.contains(focused)) return undefined;
  const { top, bottom } = focused.getBoundingClientRect();
  return bottom > 0 && top < innerHeight ? focused : undefined;
}
