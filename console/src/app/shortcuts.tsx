// The keys of every page: Ctrl or ⌘ with K to go anywhere, ? for help. What they open is loaded then.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { asProblem } from '../api/problem';
import { typing } from '../components/list/keys';
import { toast } from '../components/toast';
import { t } from '../text';

type Opened = { readonly View: ComponentType<{ onClose: () => void }> };

export function Shortcuts() {
  const [opened, setOpened] = useState<Opened>();
  const open = (load: Promise<{ default: Opened['View'] }>) => load.then((m) => setOpened({ View: m.default }), (err) => toast(t().problems(asProblem(err)), 'bad'));
  const goTo = () => void open(import('./palette'));
  useEffect(() => {
    const pressed = (e: KeyboardEvent) => {
      if (e.defaultPrevented || e.isComposing || e.altKey) return;
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'k' && document.querySelector('dialog[open]') === null) {
        e.preventDefault();
        goTo();
      } else if (e.key === '?' && !e.ctrlKey && !e.metaKey && !typing(e)) {
        e.preventDefault();
        void open(import('./help'));
      }
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
  return (
    <>
      <button type="button" class="quiet go" aria-haspopup="dialog" aria-keyshortcuts="Control+K Meta+K" aria-label={t().go.title} title={`${t().go.title} (${t().go.ctrl} K)`} onClick={goTo}>
        <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true"><path d="M7 2a5 5 0 1 0 0 10A5 5 0 1 0 7 2M10.5 10.5 14 14" /></svg>
      </button>
      {opened && <opened.View onClose={() => setOpened(undefined)} />}
    </>
  );
}
