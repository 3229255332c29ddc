// A modal dialog: the browser's own, which keeps the focus within and gives it back.

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../text';

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close(); // which gives the focus back, as a removal alone does not
  }, []);
  // The event of a dialog that was removed comes later, when another may be open.
  const closed = (e: { readonly currentTarget: Element }) => { if (e.currentTarget.isConnected) onClose(); };
  return (
    <dialog ref={ref} class="dialog" aria-labelledby={id} onCancel={(e) => { e.preventDefault(); onClose(); }} onClose={closed}
      onClick={(e) => { if (e.target === ref.current) onClose(); }}>
      <div class="inside">
        <div class="title"><h2 id={id}>{title}</h2><button type="button" class="quiet" onClick={onClose}>{t().common.close}</button></div>
        {children}
      </div>
    </dialog>
  );
}
