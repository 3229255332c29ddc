// The arguments of a call: code highlighted, changes as a difference, pictures as pictures,
// everything else as it will be sent.

import { useEffect, useState } from 'preact/hooks';
import { api, tenant, urlOf } from '../../api/client';
import { Code } from '../../components/code';
import { Diff } from '../../components/diff';
import { Json } from '../../components/json';
import { Plain } from '../../components/plain';
import { plainOf, unescaped } from '../../lib/preview';
import { t } from '../../text';
import { isPicture, languageOf } from './acts';
import type { Consent } from './decide';

// Shown is what of a call its arguments are shown with.
export type Shown = Pick<Consent, 'tool' | 'arguments' | 'user'>;

export function Arguments({ of: c }: { of: Shown }) {
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
          <Changed of={c} name={name} value={plainOf(unescaped(value))} />
          <Code code={plainOf(unescaped(value))} language={languageOf(c.tool, name, value) || undefined} label={name} />
        </div>
      ))}
      {Object.keys(rest).length > 0 && <Json value={rest} escaped label={t().inbox.arguments} />}
      {pictures.slice(0, 3).map(([name, path]) => <Picture key={name} path={path} user={c.user} />)}
    </div>
  );
}

// Changed shows how code differs from the code that it replaces.
function Changed({ of: c, name, value }: { of: Shown; name: string; value: string }) {
  const [before, setBefore] = useState<string>();
  const tool = (c.arguments as Record<string, unknown>)['name'];
  const wanted = c.tool === 'update_custom_tool' && name === 'code' && typeof tool === 'string';
  useEffect(() => {
    if (!wanted) return undefined;
    const over = new AbortController();
    api.get('/v1/custom-tools/{name}', { path: { name: tool }, query: { owner: c.user }, signal: over.signal }).then((found) => {
      if (found.code) setBefore(found.code);
    }, () => undefined); // without the right to see it, the new code is shown alone
    return () => over.abort();
  }, [c.tool, c.user, tool, wanted]);
  return before === undefined ? null : <Diff before={before} after={value} label={t().inbox.change} />;
}

const maxPicture = 8 << 20;

// Picture shows a picture of the workspace, if the person may read it. It is loaded as data
// and shown as a picture whatever it is, so nothing in it can run.
function Picture({ path, user }: { path: string; user: string }) {
  const [url, setURL] = useState<string>();
  useEffect(() => {
    const over = new AbortController();
    let made: string | undefined;
    const load = async () => {
      const at = urlOf(`/v1/files/${path.split('/').map(encodeURIComponent).join('/')}`, {}, { user });
      const res = await fetch(at, { signal: over.signal, credentials: 'same-origin', headers: tenant.value ? { 'Helve-Tenant': tenant.value } : {} });
      if (!res.ok || Number(res.headers.get('Content-Length')) > maxPicture) return;
      const data = await res.blob();
      if (over.signal.aborted || data.size > maxPicture) return;
      made = URL.createObjectURL(new Blob([data], { type: `image/${path.split('.').at(-1)?.toLowerCase().replace('jpg', 'jpeg')}` }));
      setURL(made);
    };
    load().catch(() => undefined); // the path alone is shown
    return () => { over.abort(); if (made) URL.revokeObjectURL(made); };
  }, [path, user]);
  if (!url) return null;
  return <figure class="inbox-picture"><img src={url} alt={t().inbox.picture} onError={() => setURL(undefined)} /><figcaption class="small faint"><Plain text={path} most={120} /></figcaption></figure>;
}
