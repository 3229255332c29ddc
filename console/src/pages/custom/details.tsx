// One custom tool: its code, and what may be done with it.

import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { useLive } from '../../api/live';
import { asProblem } from '../../api/problem';
import { has, me } from '../../app/session';
import { Risk } from '../../components/badge';
import { Button } from '../../components/button';
import { Code } from '../../components/code';
import { Facts } from '../../components/facts';
import { Failure } from '../../components/failure';
import { Json } from '../../components/json';
import { Plain } from '../../components/plain';
import { Time } from '../../components/time';
import { toast } from '../../components/toast';
import { t } from '../../text';
import { Versions } from './versions';


interface Props {
  readonly name: string;
  readonly owner: string;
  readonly changed: () => void;
  readonly gone: () => void;
}

export function Details({ name, owner, changed, gone }: Props) {
  const { data: tool, problem, refresh } = useLive(`${owner} ${name}`, (signal) => api.get('/v1/custom-tools/{name}', { path: { name }, query: { owner }, signal }));
  const [busy, setBusy] = useState(false);
  const [sure, setSure] = useState(false);
  const text = t().custom;
  if (!tool) return problem ? <Failure problem={problem} retry={refresh} /> : <p class="faint" aria-busy="true">{t().common.loading}</p>;

  const mine = (me.value.user === '' || me.value.user === tool.owner) && has('user');
  const act = async (what: () => Promise<unknown>, said: string, then: () => void) => {
    setBusy(true);
    try {
      await what();
      toast(said);
      then();
    } catch (err) {
      toast(t().problems(asProblem(err)), 'bad');
    } finally {
      setBusy(false);
    }
  };
  const again = () => { refresh(); changed(); };
  const toggle = () => act(() => api.post('/v1/custom-tools/{name}/toggle', { path: { name }, body: { owner: tool.owner, enabled: !tool.enabled } }), tool.enabled ? text.isOff : text.isOn, again);
  // The version that is shared is the one whose code is shown.
  const share = () => act(() => api.post('/v1/custom-tools/{name}/share', { path: { name }, body: { owner: tool.owner, version: tool.version } }), text.isShared, again);
  const unshare = () => act(() => api.delete('/v1/custom-tools/{name}/share', { path: { name }, query: me.value.user ? {} : { user: tool.owner } }), text.isUnshared, again);
  const remove = () => (sure ? act(() => api.delete('/v1/custom-tools/{name}', { path: { name }, query: { owner: tool.owner } }), text.deleted, gone) : setSure(true));

  return (
    <div class="stack">
      <p><strong><Plain text={tool.name} most={120} /></strong></p>
      <p><Plain text={tool.description} most={1000} /></p>
      <Facts of={[
        [text.owner, <Plain text={tool.owner} most={80} />],
        [text.state, tool.enabled ? text.on : text.off],
        [text.risk, <Risk of={tool.risk} />],
        [text.version, text.number(tool.version)],
        [text.shared, tool.shared_version > 0 && <>{text.sharedVersion(tool.shared_version)} <Plain text={tool.shared_by ?? ''} most={60} /> <Time at={tool.shared_at} /></>],
        [text.permissions, tool.permissions.length > 0 && <Plain text={tool.permissions.join(', ')} most={200} />],
        [text.hosts, tool.hosts.length > 0 && <Plain text={tool.hosts.join(', ')} most={200} />],
      ]} />
      <div class="buttons">
        {(mine || has('admin')) && <Button busy={busy} onClick={toggle}>{tool.enabled ? text.turnOff : text.turnOn}</Button>}
        {has('approver', 'admin') && tool.shared_version !== tool.version && <Button busy={busy} onClick={share}>{text.share(tool.version)}</Button>}
        {(mine || has('approver', 'admin')) && tool.shared_version > 0 && <Button busy={busy} onClick={unshare}>{text.unshare}</Button>}
        {mine && tool.enabled && <a class="button" href={`/tools/${encodeURIComponent(tool.name)}`}>{text.try}</a>}
        {(mine || has('admin')) && <Button kind="bad" busy={busy} onClick={remove}>{sure ? text.deleteSure : text.delete}</Button>}
      </div>
      {tool.code !== undefined && <div><h3>{text.code}</h3><Code code={tool.code} language="javascript" label={text.code} /></div>}
      {tool.code !== undefined && tool.version > 1 && <Versions tool={tool} mine={mine} />}
      {tool.parameters !== undefined && <details><summary>{text.parameters}</summary><Json value={tool.parameters} label={text.parameters} /></details>}
    </div>
  );
}
