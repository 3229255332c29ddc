// What a call changes: each file, or the code of a tool, as it is and as it will be. The server
// made both when it asked, so that everybody who may decide sees the same.

import { useEffect, useState } from 'preact/hooks';
import type { Schemas } from '../api/client';
import { Diff } from '../components/diff';
import { Plain } from '../components/plain';
import { t } from '../text';
import type { Consent, Host } from './host';

type Change = Schemas['Change'];

// A list leaves out texts that would be too long together: they are read with the request.
const leftOut = (c: Consent) => c.changes?.some((x) => x.cut && x.old === undefined && x.new === undefined) ?? false;

export function Changes({ of: c, host }: { of: Consent; host: Pick<Host, 'read'> }) {
  const [whole, setWhole] = useState<Consent>();
  const missing = leftOut(c);
  useEffect(() => {
    let over = false;
    setWhole(undefined);
    if (missing) host.read(c).then((read) => { if (!over) setWhole(read); }, () => undefined); // the note says that it is not shown
    return () => { over = true; };
  }, [host, c.consent_id, missing]);
  const changes = (whole ?? c).changes;
  if (!changes?.length) return null;
  return <>{changes.map((x) => <One key={x.path} of={x} />)}</>;
}

function One({ of: x }: { of: Change }) {
  const note = noteOn(x);
  return (
    <section class="inbox-change">
      <h3 class="inbox-arg">{t().inbox.change}: <Plain text={x.path} most={200} /></h3>
      {note && <p class="faint">{note}</p>}
      {(x.old !== undefined || x.new !== undefined) && <Diff before={x.old ?? ''} after={x.new ?? ''} label={t().inbox.change} />}
    </section>
  );
}

// noteOn says what the difference alone does not.
function noteOn(x: Change): string | undefined {
  if (x.old === undefined && x.new === undefined) return x.old_sha256 ? t().inbox.changes.unreadable : t().inbox.changes.directory;
  const notes = [
    x.old_sha256 === undefined && x.new !== undefined && t().inbox.changes.made,
    x.new === undefined && t().inbox.changes.lost,
    x.old === undefined && x.old_sha256 !== undefined && t().inbox.changes.replacesData,
    x.cut && t().inbox.changes.cut,
  ].filter(Boolean);
  return notes.length > 0 ? notes.join(' ') : undefined;
}
