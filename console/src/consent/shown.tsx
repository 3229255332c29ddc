// The arguments of a call: code highlighted, pictures as pictures, everything else as it will be
// sent.

import { useEffect, useState } from 'preact/hooks';
import { Code } from '../components/code';
import { Json } from '../components/json';
import { Plain } from '../components/plain';
import { plainOf, unescaped } from '../lib/preview';
import { t } from '../text';
import { isPicture, languageOf } from './values';
import type { Consent, Host } from './host';

// Shown is what of a call its arguments are shown with.
export type Shown = Pick<Consent, 'tool' | 'arguments' | 'user'>;

export function Arguments({ of: c, host }: { of: Shown; host: Pick<Host, 'file'> }) {
  const args = c.arguments as Record<string, unknown> | null;
  const entries = args && typeof args === 'object' ? Object.entries(args) : [];
  const apart = entries.filter((e): e is [string, string] => typeof e[1] === 'string' && languageOf(c.tool, e[0], e[1]) !== undefined);
  const pictures = entries.filter((e): e is [string, string] => typeof e[1] === 'string' && isPicture(e[1]));
  const rest = Object.fromEntries(entries.filter(([name]) => !apart.some(([a]) => a === name)));
  if (entries.length === 0) return <p class="faint">{t().inbox.noArguments}</p>;
  return (
    <div class="stack">
      {apart.map(([name, value]) => (
        <div key={name}>
          <h3 class="inbox-arg"><Plain text={name} /></h3>
          <Code code={plainOf(unescaped(value))} language={languageOf(c.tool, name, value) || undefined} label={name} />
        </div>
      ))}
      {Object.keys(rest).length > 0 && <Json value={rest} escaped label={t().inbox.arguments} />}
      {pictures.slice(0, 3).map(([name, path]) => <Picture key={name} host={host} path={path} user={c.user} />)}
    </div>
  );
}

// Pictures of more bytes are not shown.
export const maxPicture = 8 << 20;

// Picture shows a picture of the workspace, if the person may read it. It is loaded as data
// and shown as a picture whatever it is, so nothing in it can run.
function Picture({ host, path, user }: { host: Pick<Host, 'file'>; path: string; user: string }) {
  const [url, setURL] = useState<string>();
  useEffect(() => {
    const over = new AbortController();
    let made: string | undefined;
    const load = async () => {
      const data = await host.file?.(path, user, over.signal);
      if (!data || over.signal.aborted || data.size > maxPicture) return;
      made = URL.createObjectURL(new Blob([data], { type: `image/${path.split('.').at(-1)?.toLowerCase().replace('jpg', 'jpeg')}` }));
      setURL(made);
    };
    load().catch(() => undefined); // the path alone is shown
    return () => { over.abort(); if (made) URL.revokeObjectURL(made); };
  }, [host, path, user]);
  if (!url) return null;
  return <figure class="inbox-picture"><img src={url} alt={t().inbox.picture} onError={() => setURL(undefined)} /><figcaption class="small faint"><Plain text={path} most={120} /></figcaption></figure>;
}
