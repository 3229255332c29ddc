// A button. While it is busy it stays focused, and does nothing.

import type { ComponentChildren } from 'preact';

interface Props {
  readonly children: ComponentChildren;
  readonly onClick?: (e: MouseEvent) => unknown;
  // One primary button in each view.
  readonly kind?: 'primary' | 'plain' | 'bad' | 'quiet';
  readonly type?: 'button' | 'submit';
  readonly busy?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  readonly wide?: boolean;
  readonly label?: string;
  readonly describedBy?: string;
  // The answer that the button gives, for the keys of the list.
  readonly answer?: 'grant' | 'deny';
}

export function Button({ children, onClick, kind = 'plain', type = 'button', busy, disabled, wide, label, describedBy, answer }: Props) {
  return (
    <button type={type} class={`button ${kind}${wide ? ' wide' : ''}`} disabled={disabled} aria-disabled={busy || undefined} aria-busy={busy || undefined} aria-label={label} aria-describedby={describedBy} data-answer={answer}
      onClick={(e) => { if (busy) e.preventDefault(); else void onClick?.(e); }}>
      {children}
    </button>
  );
}
