// Which page is shown: the history API, without a library.

import { signal } from '@preact/signals';

export interface Location {
  readonly path: string;
  readonly search: string;
  // Counts navigations to another page; 0 is the page that the browser loaded.
  readonly visit: number;
  // The person went back, or forward again.
  readonly back: boolean;
}

function current(visit: number, back = false): Location {
  return { path: location.pathname, search: location.search, visit, back };
}

export const place = signal<Location>({ path: '/', search: '', visit: 0, back: false });

// navigate shows the page at url, which is of this console.
export function navigate(url: string, options: { replace?: boolean } = {}): void {
  const to = new URL(url, location.href);
  if (options.replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  moved();
}

function moved(back = false): void {
  const before = place.value;
  const other = before.path !== location.pathname;
  place.value = current(other ? before.visit + 1 : before.visit, back);
}

// isSafe reports whether a path may be gone to after the sign-in: one of this host only.
export function isSafe(path: string): boolean {
  return /^\/(?![/\\])/.test(path) && new URL(path, location.origin).origin === location.origin;
}

// startRouter makes links to pages of the console not load the document again. Whether a
// path has a page is asked of `known`.
export function startRouter(known: (path: string) => boolean): void {
  place.value = current(0);
  addEventListener('popstate', () => moved(true));
  document.addEventListener('click', (e) => {
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    const link = (e.target as Element | null)?.closest?.('a');
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin || !known(link.pathname)) return;
    if (link.pathname === location.pathname && link.search === location.search && link.hash) return;
    e.preventDefault();
    navigate(link.href);
  });
}

// match returns the parameters of a path, by the names that the pattern gives them with
// a colon, or undefined.
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const [want, got] = [pattern.split('/'), path.replace(/(.)\/$/, '$1').split('/')];
  if (want.length !== got.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of want.entries()) {
    const value = got[i] ?? '';
    if (!part.startsWith(':')) {
      if (part !== value) return undefined;
      continue;
    }
    try {
      params[part.slice(1)] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
    if (!value) return undefined;
  }
  return params;
}

// useQuery returns the parameters of the address, and a function that changes some of
// them; '' removes one. The change replaces the entry of the history, so that going back
// leaves the page.
export function useQuery(): [URLSearchParams, (change: Record<string, string>) => void] {
  const { search } = place.value;
  return [
    new URLSearchParams(search),
    (change) => {
      const next = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries(change)) {
        if (value) next.set(name, value);
        else next.delete(name);
      }
      navigate(location.pathname + (next.size ? `?${next}` : ''), { replace: true });
    },
  ];
}
