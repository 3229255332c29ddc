// A call as a command or a program that makes it again, to be copied.

import { useState } from 'preact/hooks';
import { api, tenant } from '../../api/client';
import { asProblem } from '../../api/problem';
import { me } from '../../app/session';
import { toast } from '../../components/toast';
import { readable } from '../../lib/preview';
import { t } from '../../text';
import { forms, written, type Form } from './written';

export function CopyCall({ id }: { id: string }) {
  const [busy, setBusy] = useState(false);
  const copy = async (form: Form) => {
    if (busy) return;
    setBusy(true);
    try {
      const call = await api.get('/v1/calls/{call_id}', { path: { call_id: id }, query: { include: 'arguments' }, exact: true });
      if (call.arguments === undefined || !call.tool) {
        toast(t().calls.nothingToCopy, 'bad');
      } else {
        await navigator.clipboard.writeText(written(form, {
          tool: call.tool, arguments: readable(call.arguments), user: call.owner?.user, agent: call.owner?.agent,
          server: location.origin, tenant: tenant.value, authenticated: me.value.authenticated,
        }));
        toast(t().calls.copiedAs);
      }
    } catch (err) {
      toast(err instanceof DOMException ? t().common.notCopied : t().problems(asProblem(err)), 'bad');
    }
    setBusy(false);
  };
  return (
    <div class="copy-as" role="group" aria-label={t().calls.copyAs}>
      <span class="small faint">{t().calls.copyAs}</span>
      {forms.map(([form, name]) => <button key={form} type="button" class="quiet small" aria-disabled={busy || undefined} onClick={() => void copy(form)}><bdi class="plain">{name}</bdi></button>)}
    </div>
  );
}
