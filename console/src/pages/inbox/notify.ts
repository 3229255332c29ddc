// Notifications of the browser, for requests that come while the page is hidden.

import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { navigate } from '../../app/router';
import { read, write } from '../../lib/stored';
import { pieces } from '../../lib/visible';
import { plainOf } from '../../lib/preview';
import { t } from '../../text';
import type { Consent } from '../../consent/host';

// Obstacle is why no notification can come: the browser has none for this address or none for
// pages, or the person or an administrator has blocked those of this site.
export type Obstacle = 'insecure' | 'missing' | 'blocked';

// refused is set once the browser has refused to show a notification that it allows.
const refused = signal(false);

// obstacle is what keeps notifications from coming; undefined if nothing does.
export const obstacle = signal(found());

function found(): Obstacle | undefined {
  if (!isSecureContext) return 'insecure';
  if (typeof Notification === 'undefined' || refused.value) return 'missing';
  return Notification.permission === 'denied' ? 'blocked' : undefined;
}

// wanted is set if the person asked for notifications and the browser allows them.
export const wanted = signal(!obstacle.value && Notification.permission === 'granted' && read('notify') === 'yes');

export async function want(yes: boolean): Promise<void> {
  const allowed = yes && (await Notification.requestPermission()) === 'granted';
  obstacle.value = found();
  wanted.value = allowed;
  write('notify', allowed ? 'yes' : '');
}

// failed says that no notification can be shown after all.
function failed(): void {
  refused.value = true;
  obstacle.value = found();
  wanted.value = false;
}

// observe follows what the person sets in the browser meanwhile.
function observe(): () => void {
  const look = () => {
    obstacle.value = found();
    if (obstacle.value) wanted.value = false;
  };
  document.addEventListener('visibilitychange', look);
  addEventListener('focus', look);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    removeEventListener('focus', look);
  };
}

// useNotifications notifies of each request once, except of those that were there when the
// page was opened.
export function useNotifications(items: readonly Consent[] | undefined): void {
  const seen = useRef<Set<string>>();
  useEffect(observe, []);
  // Not after the paint, which a hidden page does not have: then what was shown would be news.
  useLayoutEffect(() => {
    if (!items) return;
    const first = !seen.current;
    seen.current ??= new Set();
    for (const c of items) {
      if (seen.current.has(c.consent_id)) continue;
      seen.current.add(c.consent_id);
      if (first || c.status !== 'pending' || !wanted.value || !document.hidden) continue;
      try {
        const note = new Notification(t().inbox.notice(plainOf(pieces(c.tool))), { body: plainOf(pieces(c.agent ?? '')), tag: c.consent_id });
        note.onclick = () => { window.focus(); navigate(`/consents/${encodeURIComponent(c.consent_id)}`); note.close(); };
      } catch {
        failed(); // some phones allow notifications of service workers only
      }
    }
  }, [items]);
}
