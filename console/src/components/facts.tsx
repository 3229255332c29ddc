// Names and values, side by side, each with a button that copies the value.

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Copy } from './copy';

// Facts leaves out a value that is undefined, null or ''.
export function Facts({ of }: { of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => value !== undefined && value !== null && value !== '' && value !== false && <Fact key={name} name={name}>{value}</Fact>)}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  const value = useRef<HTMLSpanElement>(null);
  return <div><dt>{name}</dt><dd><span ref={value}>{children}</span><Copy label={name} text={() => textOf(value.current)} /></dd></div>;
}

// textOf returns what is seen of a value: characters that deceive are spelled in it.
function textOf(element: Element | null): string {
  const copy = element?.cloneNode(true) as Element | undefined;
  copy?.querySelectorAll('.sr, .copy').forEach((e) => e.remove());
  copy?.querySelectorAll('.cut').forEach((e) => e.replaceWith('…'));
  return copy?.textContent?.trim() ?? '';
}
