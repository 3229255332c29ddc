// The record of one agent, to change or remove.

import { useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { asProblem, type Problem } from '../../api/problem';
import { Button } from '../../components/button';
import { Failure } from '../../components/failure';
import { Plain } from '../../components/plain';
import { toast } from '../../components/toast';
import { t } from '../../text';
import { namesIn, unknownIn } from './sets';

export function Edit({ agent, done }: { agent: Schemas['Agent']; done: () => void }) {
  const [name, setName] = useState(agent.agent);
  const [sets, setSets] = useState({ groups: agent.groups.join('\n'), tools: agent.tools.join('\n'), deny: agent.deny.join('\n') });
  const [busy, setBusy] = useState(false);
  const [sure, setSure] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const known = useKnown();
  const text = t().agents;
  const rules = { tools: namesIn(sets.tools), groups: namesIn(sets.groups), deny: namesIn(sets.deny) };
  const unknown = known ? unknownIn(rules, known.tools, known.groups) : [];
  const act = async (what: () => Promise<unknown>, said: string) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await what();
      toast(said);
      done();
    } catch (err) {
      setProblem(asProblem(err));
      setBusy(false);
    }
  };
  const save = () => act(() => api.put('/v1/agents/{agent}', { path: { agent: name.trim() }, body: rules }), text.saved);
  const remove = () => (sure ? act(() => api.delete('/v1/agents/{agent}', { path: { agent: agent.agent } }), text.removed) : setSure(true));
  return (
    <form onSubmit={(e) => { e.preventDefault(); if (!busy) void save(); }}>
      {agent.agent
        ? <p><strong><Plain text={agent.agent} most={120} /></strong></p>
        : <label class="field">{text.agent}<input name="agent" required autocomplete="off" spellcheck={false} value={name} onInput={(e) => setName(e.currentTarget.value)} /></label>}
      {(['groups', 'tools', 'deny'] as const).map((set) => (
        <label key={set} class="field">{text[set]}
          <textarea name={set} rows={3} spellcheck={false} value={sets[set]} onInput={(e) => { const value = e.currentTarget.value; setSets((s) => ({ ...s, [set]: value })); }} />
          <small>{text.hints[set]}</small>
        </label>
      ))}
      <p class="faint" role="status">{unknown.length > 0 && <>{text.unknown} <Plain text={unknown.join(', ')} most={200} /></>}</p>
      {problem && <Failure problem={problem} />}
      <div class="buttons">
        <Button type="submit" kind="primary" busy={busy}>{text.save}</Button>
        {agent.agent && <Button kind="bad" busy={busy} onClick={remove}>{sure ? text.removeSure : text.remove}</Button>}
      </div>
    </form>
  );
}

// useKnown returns the names that there are now, so that a slip can be seen.
function useKnown(): { readonly tools: readonly string[]; readonly groups: readonly string[] } | undefined {
  return useLive('known', async (signal) => {
    const [{ tools }, { groups }] = await Promise.all([api.get('/v1/tools', { query: {}, signal }) as Promise<Schemas['ToolList']>, api.get('/v1/groups', { query: {}, signal })]);
    return { tools: tools.flatMap((d) => [d.name, ...(d.aliases ?? [])]), groups: groups.map((g) => g.name) };
  }).data;
}
