// A modal dialog: the browser's own, which keeps the focus within and gives it back.

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../text';

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.showModal();
    return () => { if (before instanceof HTMLElement && before.isConnected) before.focus(); };
  }, []);
  return (
    <dialog ref={ref} class="dialog" aria-labelledby={id} onCancel={(e) => { e.preventDefault(); onClose(); }}
      onClick={(e) => { if (e.target === ref.current) onClose(); }}>
      <div class="inside">
        <header><h2 id={id}>{title}</h2><button type="button" class="quiet" onClick={onClose}>{t().common.close}</button></header>
        {children}
      </div>
    </dialog>
  );
}
