// Names and values, side by side.

import type { ComponentChildren } from 'preact';

// Facts leaves out a value that is undefined, null or ''.
export function Facts({ of }: { of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => value !== undefined && value !== null && value !== '' && value !== false && (
        <div key={name}><dt>{name}</dt><dd>{value}</dd></div>
      ))}
    </dl>
  );
}
