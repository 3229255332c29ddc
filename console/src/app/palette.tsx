// A box to go anywhere: to a page, a tool, filters that are saved, or what an id or a name stands for.

import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { api } from '../api/client';
import { useLive } from '../api/live';
import { hrefOf, saved } from '../components/list/saved';
import { Dialog } from '../components/dialog';
import { Short } from '../components/plain';
import { t } from '../text';
import { areas } from './areas';
import { targetsOf } from './targets';
import { navigate } from './router';
import { has, mayOpen } from './session';

interface Target {
  readonly href: string;
  readonly label: ComponentChildren;
}

// So many are offered.
const most = 12;

export default function Palette({ onClose }: { onClose: () => void }) {
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const tools = useLive('palette tools', (signal) => (has('user', 'approver', 'admin', 'agent') ? api.get('/v1/tools', { query: {}, signal }) as Promise<{ tools: readonly { name: string }[] }> : Promise.resolve({ tools: [] }))).data?.tools;
  const found = useMemo<readonly Target[]>(() => {
    const sought = words.trim().toLowerCase();
    const pages = areas.flatMap((a) => (a.nav && mayOpen(a) ? [{ href: a.path, name: a.nav.label(t()) }] : []))
      .filter((p) => p.name.toLowerCase().includes(sought)).map((p): Target => ({ href: p.href, label: p.name }));
    const filters = saved().flatMap((s): readonly Target[] => {
      const [href, path] = hrefOf(s);
      const area = areas.find((a) => a.path === path);
      return area && mayOpen(area) && `${s.name} ${area.nav?.label(t())}`.toLowerCase().includes(sought) ? [{ href, label: <>{area.nav?.label(t())}: <Short text={s.name} most={60} /></> }] : [];
    });
    const named = sought === '' ? [] : (tools ?? []).filter((x) => x.name.toLowerCase().includes(sought))
      .map((x): Target => ({ href: `/tools/${encodeURIComponent(x.name)}`, label: <>{t().go.tool} <Short text={x.name} most={64} /></> }));
    const ids = targetsOf(words.trim(), has('user', 'auditor', 'admin'), has('auditor', 'admin')).map((x): Target => ({ href: x.href, label: <>{t().go.kinds[x.kind]} <Short text={words.trim()} most={64} /></> }));
    return [...filters.slice(0, most / 2), ...pages, ...named, ...ids].slice(0, most);
  }, [words, tools]);
  const go = (to: Target | undefined) => {
    if (!to) return;
    onClose();
    navigate(to.href);
  };
  const step = (by: number) => {
    const next = found.length === 0 ? 0 : (at + by + found.length) % found.length;
    setAt(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <Dialog title={t().go.title} onClose={onClose}>
      <input type="text" role="combobox" name="go" aria-label={t().go.where} placeholder={t().go.where} aria-expanded="true" aria-controls="go-list" aria-autocomplete="list" autocomplete="off" spellcheck={false} autofocus maxLength={140}
        aria-activedescendant={found.length > 0 ? `go-${at}` : undefined} value={words} onInput={(e) => { setWords(e.currentTarget.value); setAt(0); }}
        onKeyDown={(e) => {
          if (e.key === 'ArrowDown') { e.preventDefault(); step(1); }
          if (e.key === 'ArrowUp') { e.preventDefault(); step(-1); }
          if (e.key === 'Enter' && !e.isComposing) { e.preventDefault(); go(found[at]); }
        }} />
      <ul id="go-list" ref={list} class="go-list" role="listbox" aria-label={t().go.title}>
        {found.map((f, i) => <li key={i} id={`go-${i}`} role="option" aria-selected={i === at} onClick={() => go(f)}>{f.label}</li>)}
      </ul>
      <p class="small faint" role="status">{found.length === 0 && t().go.nothing}</p>
    </Dialog>
  );
}
