// Short messages about what just happened, read out by screen readers.

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { t } from '../text';

interface Toast {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly content: ComponentChildren;
}

const toasts = signal<readonly Toast[]>([]);
let last = 0;

const visibleFor = 8000;

// toast shows a message; a failure stays until it is closed.
export function toast(content: ComponentChildren, tone: 'good' | 'bad' = 'good'): void {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-3), { id, tone, content }];
  if (tone === 'good') setTimeout(() => close(id), visibleFor);
}

function close(id: number): void {
  toasts.value = toasts.value.filter((m) => m.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((m) => (
        <div key={m.id} class={`toast ${m.tone}`}>
          <span>{m.content}</span>
          <button type="button" class="quiet" onClick={() => close(m.id)}>{t().common.close}</button>
        </div>
      ))}
    </div>
  );
}
