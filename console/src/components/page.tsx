// The heading of a page. It names the document, and has the focus when a person came here
// from another page, so that a screen reader reads where they are. A list beside its open
// detail leaves both to the detail.

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { place } from '../app/router';
import { spelled } from '../lib/visible';

interface Props {
  readonly title: string;
  // The heading, if it is more than the title.
  readonly heading?: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly within?: boolean;
  readonly children: ComponentChildren;
}

export function Page({ title, heading, aside, within = false, children }: Props) {
  const ref = useRef<HTMLHeadingElement>(null);
  const Heading = within ? 'h2' : 'h1';
  useEffect(() => { if (!within) document.title = `${spelled(title)} · Helve`; }, [title, within]);
  // Before the page is painted: nobody can type into a field yet, and lose the focus.
  useLayoutEffect(() => {
    if (place.value.visit === 0 || within) return;
    scrollTo(0, 0);
    ref.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <header class="head"><Heading ref={ref} tabIndex={-1}>{heading ?? title}</Heading>{aside && <div class="aside">{aside}</div>}</header>
      {children}
    </>
  );
}
