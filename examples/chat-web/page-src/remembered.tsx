// The answers of the person that Helve remembers, each of which can be forgotten.

import { useEffect, useState } from 'preact/hooks';
import { asProblem } from '../../../console/src/api/problem';
import { Button } from '../../../console/src/components/button';
import { Dialog } from '../../../console/src/components/dialog';
import { Plain } from '../../../console/src/components/plain';
import { Time } from '../../../console/src/components/time';
import { toast } from '../../../console/src/components/toast';
import { forget, remembered, type Grant } from './host';
import { text } from './text';

export function Remembered({ onClose }: { onClose: () => void }) {
  const [grants, setGrants] = useState<readonly Grant[]>();
  const failed = (err: unknown) => toast(asProblem(err).message, 'bad');
  useEffect(() => { remembered().then(setGrants, failed); }, []);
  const drop = async (g: Grant) => {
    try {
      await forget(g);
      toast(text().forgotten);
      setGrants(await remembered());
    } catch (err) {
      failed(err);
    }
  };
  return (
    <Dialog title={text().remembered} onClose={onClose}>
      {grants?.length === 0 && <p class="faint">{text().nothing}</p>}
      <ul class="remembered">
        {grants?.map((g) => (
          <li key={g.grant_id}>
            <span>
              {g.deny ? text().refused : text().allowed} <strong><Plain text={g.tool ?? g.permission ?? ''} most={120} /></strong>{' '}
              <span class="small faint">{g.conversation ? <>{text().inConversation} <Plain text={g.conversation} most={64} /></> : text().everywhere}, <Time at={g.granted_at} /></span>
            </span>
            <Button onClick={() => drop(g)}>{text().forget}</Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
