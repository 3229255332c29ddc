// Pausing, resuming and draining a worker or all of a pool.

import { send, urlOf } from '../../api/client';
import { Act } from '../../components/act';
import { Plain } from '../../components/plain';
import { t } from '../../text';

interface Props {
  readonly kind: 'pools' | 'workers';
  readonly name: string;
  readonly paused: boolean;
  readonly changed: () => void;
}

export function Orders({ kind, name, paused, changed }: Props) {
  const words = kind === 'pools' ? t().fleet.ofPool : t().fleet.ofWorker;
  const order = (what: string) => () => send('POST', urlOf(`/v1/${kind}/{name}/${what}`, { name }));
  const about = <p><strong><Plain text={name} most={80} /></strong></p>;
  return (
    <div class="buttons">
      {paused
        ? <Act label={t().fleet.resume} of={name} title={words.resume} run={order('resume')} done={t().fleet.resumed} after={changed}>{about}<p>{words.resumeText}</p></Act>
        : <Act label={t().fleet.pause} of={name} title={words.pause} run={order('pause')} done={t().fleet.pausedNow} after={changed}>{about}<p>{words.pauseText}</p></Act>}
      <Act label={t().fleet.drain} of={name} kind="bad" title={words.drain} run={order('drain')} done={t().fleet.drained} after={changed}>{about}<p>{words.drainText}</p></Act>
    </div>
  );
}
