// The heading of a page. It names the document, and has the focus when a person came here
// from another page, so that a screen reader reads where they are.

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { place } from '../app/router';
import { spelled } from '../lib/visible';

interface Props {
  readonly title: string;
  // The heading, if it is more than the title.
  readonly heading?: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Page({ title, heading, aside, children }: Props) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => { document.title = `${spelled(title)} · Helve`; }, [title]);
  // Before the page is painted: nobody can type into a field yet, and lose the focus.
  useLayoutEffect(() => {
    if (place.value.visit === 0) return;
    scrollTo(0, 0);
    ref.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <header class="head"><h1 ref={ref} tabIndex={-1}>{heading ?? title}</h1>{aside && <div class="aside">{aside}</div>}</header>
      {children}
    </>
  );
}
