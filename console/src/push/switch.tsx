// The switch of notifications on this device, in the settings.

import { useEffect, useState } from 'preact/hooks';
import { asProblem } from '../api/problem';
import { actor } from '../app/session';
import { toast } from '../components/toast';
import { t } from '../text';
import { state as now, turnOff, turnOn, type State } from './device';

export function Switch() {
  const [state, setState] = useState<State>();
  const [busy, setBusy] = useState(false);
  const failed = (err: unknown) => toast(err instanceof DOMException ? t().push.failed(err.message) : t().problems(asProblem(err)), 'bad');
  useEffect(() => { now().then(setState, failed); }, [actor.value]);
  const change = async (yes: boolean) => {
    setBusy(true);
    try {
      setState(await (yes ? turnOn() : turnOff()));
    } catch (err) {
      failed(err);
      setState(await now().catch(() => undefined));
    } finally {
      setBusy(false);
    }
  };
  const can = state === 'on' || state === 'off';
  return (
    <div class="stack">
      <label class="check">
        <input type="checkbox" role="switch" data-push={state ?? ''} checked={state === 'on'} disabled={!can || busy} aria-describedby="push-state"
          onChange={(e) => void change(e.currentTarget.checked)} />
        {t().push.switch}
      </label>
      <small id="push-state" class="faint" role="status">{state && t().push.states[state]}</small>
    </div>
  );
}
