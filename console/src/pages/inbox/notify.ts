// Notifications of the browser, for requests that come while the page is hidden.

import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { navigate } from '../../app/router';
import { read, write } from '../../lib/stored';
import { pieces } from '../../lib/visible';
import { plainOf } from '../../lib/preview';
import { t } from '../../text';
import type { Consent } from '../../consent/host';

export const possible = typeof Notification !== 'undefined';

// wanted is set if the person asked for notifications and the browser allows them.
export const wanted = signal(possible && Notification.permission === 'granted' && read('notify') === 'yes');

export async function want(yes: boolean): Promise<void> {
  const allowed = yes && (await Notification.requestPermission()) === 'granted';
  wanted.value = allowed;
  write('notify', allowed ? 'yes' : '');
}

// useNotifications notifies of each request once, except of those that were there when the
// page was opened.
export function useNotifications(items: readonly Consent[] | undefined): void {
  const seen = useRef<Set<string>>();
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
        // Some phones allow notifications of service workers only.
      }
    }
  }, [items]);
}
