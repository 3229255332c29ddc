// What opens below its name, and closes when the focus or a pointer goes elsewhere, a button in it
// is pressed that sends no form, or Escape is.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function Popup({ name, label, active, children }: { name: string; label: string; active: boolean; children: ComponentChildren }) {
  const ref = useRef<HTMLDetailsElement>(null);
  const shut = (back: boolean) => {
    if (!ref.current?.open) return false;
    ref.current.open = false;
    if (back) ref.current.querySelector('summary')?.focus();
    return true;
  };
  useEffect(() => {
    const pressed = (e: PointerEvent) => { if (e.target instanceof Node && !ref.current?.contains(e.target)) shut(false); };
    document.addEventListener('pointerdown', pressed);
    return () => document.removeEventListener('pointerdown', pressed);
  }, []);
  return (
    <details ref={ref} class={`facet facet-${name}${active ? ' active' : ''}`} name="facet"
      onKeyDown={(e) => { if (e.key === 'Escape' && shut(true)) e.preventDefault(); }}
      onFocusOut={(e: FocusEvent) => { if (e.relatedTarget instanceof Node && !ref.current?.contains(e.relatedTarget)) shut(false); }}>
      <summary>{label}</summary>
      <div class="popup" onClick={(e) => { if ((e.target as Element).closest('button:not([type="submit"])')) shut(true); }}>{children}</div>
    </details>
  );
}
