// Somebody else has signed in in another tab: what this one shows is not theirs.

import { Button } from '../components/button';
import { Dialog } from '../components/dialog';
import { Plain } from '../components/plain';
import { t } from '../text';
import { me, state } from './session';

export function Other() {
  const { other } = state.value;
  if (other === undefined) return null;
  const shown = me.value.user || me.value.name || t().nav.nobody;
  return (
    <Dialog title={t().common.otherTitle} onClose={() => { state.value = { ...state.value, other: undefined }; }}>
      <p><Plain text={t().common.other(shown, other)} most={600} /></p>
      <div class="buttons"><Button kind="primary" onClick={() => location.reload()}><Plain text={t().common.goOnAs(other)} most={100} /></Button></div>
    </Dialog>
  );
}
