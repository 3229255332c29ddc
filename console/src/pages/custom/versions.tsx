// The kept versions of a custom tool: what has changed since one of them, and its way back.

import { useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { asProblem } from '../../api/problem';
import { navigate } from '../../app/router';
import { me } from '../../app/session';
import { Button } from '../../components/button';
import { Diff } from '../../components/diff';
import { Loaded } from '../../components/loaded';
import { toast } from '../../components/toast';
import { useNow } from '../../lib/now';
import { relative } from '../../lib/time';
import { language, t } from '../../text';

type Custom = Schemas['CustomTool'];
type Version = Schemas['CustomToolVersion'];

export function Versions({ tool, mine }: { tool: Custom; mine: boolean }) {
  const { name, owner, version, shared_version: shared } = tool;
  const kept = useLive(`${owner} ${name} ${version} ${shared}`, (signal) => api.get('/v1/custom-tools/{name}/versions', { path: { name }, query: { owner }, signal }));
  return <Loaded of={kept}>{({ versions }) => <Compared tool={tool} mine={mine} others={versions.filter((v) => v.version !== version)} />}</Loaded>;
}

function Compared({ tool, mine, others }: { tool: Custom; mine: boolean; others: readonly Version[] }) {
  const [chosen, choose] = useState(0);
  const now = useNow();
  const text = t().custom;
  // First what sharing the current version would change for everybody.
  const from = others.find((v) => v.version === chosen) ?? others.find((v) => v.shared) ?? others[0];
  if (!from) return <p class="faint">{text.onlyVersion}</p>;
  return (
    <div>
      <h3>{text.versions}</h3>
      <label class="field">{text.compare}
        <select value={from.version} onChange={(e) => choose(Number(e.currentTarget.value))}>
          {others.map((v) => <option key={v.version} value={v.version}>{text.versionOf(v.version, relative(v.updated_at ? Date.parse(v.updated_at) : now, now, language.value), v.shared)}</option>)}
        </select>
      </label>
      <Changes tool={tool} from={from} mine={mine} />
    </div>
  );
}

function Changes({ tool, from, mine }: { tool: Custom; from: Version; mine: boolean }) {
  const [busy, setBusy] = useState(false);
  const { name, owner } = tool;
  const then = useLive(`${owner} ${name} ${from.version}`, (signal) => api.get('/v1/custom-tools/{name}', { path: { name }, query: { owner, version: `${from.version}` }, signal }));
  const text = t().custom;
  const label = text.changes(from.version, tool.version, from.shared);
  // The old version comes back as any change does: as a call that asks its owner.
  const restore = async () => {
    setBusy(true);
    try {
      const args = { name, restore: from.version };
      const { results: [call] } = await api.post('/v1/execute', { body: { ...(me.value.user ? {} : { context: { user: owner } }), wait_ms: 0, calls: [{ tool: 'update_custom_tool', arguments: args }] } });
      if (call) navigate(`/calls/${encodeURIComponent(call.call_id)}`);
    } catch (err) {
      toast(t().problems(asProblem(err)), 'bad');
      setBusy(false);
    }
  };
  return (
    <Loaded of={then}>{(was) => (
      <>
        <p>{label}</p>
        <Diff before={was.code ?? ''} after={tool.code ?? ''} label={label} />
        {mine && <div class="buttons"><Button busy={busy} onClick={restore}>{text.restore(from.version)}</Button></div>}
      </>
    )}</Loaded>
  );
}
