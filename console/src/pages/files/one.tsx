// One file: its beginning as text, and what may be done with it.

import { useState } from 'preact/hooks';
import type { Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { asProblem } from '../../api/problem';
import { Act } from '../../components/act';
import { Button } from '../../components/button';
import { Code } from '../../components/code';
import { Facts } from '../../components/facts';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { Time } from '../../components/time';
import { toast } from '../../components/toast';
import { save } from '../../lib/save';
import { t } from '../../text';
import { beginningOf, shown, transfer, type Beginning } from './transfer';

interface Props {
  readonly path: string;
  readonly user: string;
  readonly row: Schemas['File'] | undefined;
  readonly gone: () => void;
}

export function One({ path, user, row, gone }: Props) {
  const text = t().files;
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Another look when the list has another version.
  const live = useLive<Beginning>(`file ${user} ${path} ${row?.modified} ${row?.size}`, (signal) => beginningOf(path, user, signal));
  return (
    <Page title={name} heading={<Plain text={name} most={120} />} aside={live.data && (
      <div class="buttons">
        <Download path={path} name={name} user={user} />
        <Act label={text.remove} title={text.removeTitle} kind="bad" done={text.removed} after={gone} run={() => transfer('DELETE', path, { user })}>
          <p><strong><Plain text={path} most={400} /></strong></p><p>{text.removeText}</p>
        </Act>
      </div>
    )}>
      <Loaded of={live}>{(file) => (
        <div class="stack">
          <Facts of={[
            [text.path, <Plain key="path" text={path} most={400} />],
            [text.size, text.bytes(file.size)],
            [text.modified, row && <Time at={row.modified} />],
          ]} />
          {file.text === undefined ? <p>{text.binary}</p> : file.size === 0 ? <p class="faint">{text.blank}</p> : <Code code={file.text} label={text.contents} />}
          {file.text !== undefined && file.size > shown && <p class="faint">{text.part(shown)}</p>}
        </div>
      )}</Loaded>
    </Page>
  );
}

function Download({ path, name, user }: { path: string; name: string; user: string }) {
  const [busy, setBusy] = useState(false);
  const get = async () => {
    setBusy(true);
    try {
      save(await (await transfer('GET', path, { user })).blob(), name);
    } catch (err) {
      toast(t().problems(asProblem(err)), 'bad');
    }
    setBusy(false);
  };
  return <Button busy={busy} onClick={get}>{t().files.download}</Button>;
}
