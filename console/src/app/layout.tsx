// Header, navigation, the notice of a system without authentication, and the page.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import icon from '../icon.svg';
import { Plain } from '../components/plain';
import { t } from '../text';
import type { Area } from './area';
import { areas } from './areas';
import { useCounts, waiting } from './counts';
import { Preferences } from './preferences';
import { place } from './router';
import { mayOpen, me } from './session';
import { Shortcuts } from './shortcuts';

export function Layout({ children }: { children: ComponentChildren }) {
  const [open, setOpen] = useState(false);
  const { path } = place.value;
  useEffect(() => setOpen(false), [path]);
  useCounts(path);
  return (
    <div class="frame" onKeyDown={(e) => { if (e.key === 'Escape') setOpen(false); }}>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.getElementById('main')?.focus(); }}>{t().nav.skip}</a>
      <header class="top">
        <a class="brand" href="/"><img src={icon} alt="" width="28" height="28" /> Helve</a>
        <button type="button" class="quiet menu" aria-expanded={open} aria-controls="nav" onClick={() => setOpen(!open)}>{t().nav.menu}</button>
        <Shortcuts />
        <Preferences />
      </header>
      {!me.value.authenticated && <aside class="notice" aria-label={t().nav.notice}><p>{t().nav.open}</p></aside>}
      <nav id="nav" class={open ? 'nav open' : 'nav'} aria-label={t().nav.label}>
        {(['work', 'tools', 'operate', 'trail'] as const).map((group) => <Group key={group} name={group} path={path} />)}
        <p class="who">
          <span>{me.value.user ? <Plain text={me.value.user} /> : me.value.name ? <Plain text={me.value.name} /> : t().nav.nobody}</span>
          <span class="faint"><Plain text={me.value.tenant} /></span>
        </p>
      </nav>
      <main id="main" tabIndex={-1}>{children}</main>
    </div>
  );
}

function Group({ name, path }: { name: NonNullable<Area['nav']>['group']; path: string }) {
  const links = areas.filter((a) => a.nav?.group === name && mayOpen(a));
  if (links.length === 0) return null;
  return (
    <div class="group">
      <h2>{t().nav.groups[name]}</h2>
      <ul>
        {links.map((a) => (
          <li key={a.path}>
            <a href={a.path} aria-current={a.path === path ? 'page' : a.path !== '/' && path.startsWith(a.path + '/') ? 'true' : undefined}>{a.nav?.label(t())}<Count of={waiting(a.path)} /></a>
          </li>
        ))}
      </ul>
    </div>
  );
}

// Count is how much waits behind a link.
function Count({ of }: { of: number }) {
  if (of === 0) return null;
  return <> <span class="nav-count"><span class="number">{t().overview.atMost(of)}</span><span class="sr"> {t().nav.waiting}</span></span></>;
}
