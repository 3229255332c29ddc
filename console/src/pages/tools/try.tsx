// Trying a tool: a form, and a call of one's own with its outcome.

import { useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { asProblem, type Problem } from '../../api/problem';
import { actor, me, setActor } from '../../app/session';
import { Button } from '../../components/button';
import { Failure } from '../../components/failure';
import { t } from '../../text';
import { Input } from './field';
import { argumentsOf, fieldIn, fieldsOf, valuesOf, type Values } from './form';
import { Tried } from './tried';

type Call = Schemas['Result'];

export function Try({ tool }: { tool: Schemas['ToolDetail'] }) {
  const [fields] = useState(() => fieldsOf(tool.parameters));
  const [values, setValues] = useState<Values>(() => valuesOf(fields, tool.example));
  // The errors of a field: of this page, or of the server about the last call.
  const [errors, setErrors] = useState<Values>({});
  const [user, setUser] = useState(me.value.user || actor.value);
  const [call, setCall] = useState<Call>();
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const text = t().tools;

  const change = (name: string, value: string) => {
    setValues((v) => ({ ...v, [name]: value }));
    setErrors((e) => ({ ...e, [name]: '' }));
  };
  const show = (wrong: Values) => {
    setErrors(wrong);
    const first = fields.findIndex((f) => wrong[f.name]);
    if (first >= 0) document.getElementById(`try-${first}`)?.focus();
  };
  const run = async () => {
    const { args, wrong } = argumentsOf(fields, values);
    show(Object.fromEntries(Object.entries(wrong).map(([name, w]) => [name, text.wrong(w)])));
    if (Object.keys(wrong).length > 0) return;
    setBusy(true);
    setProblem(undefined);
    setCall(undefined);
    try {
      if (!me.value.user) setActor(user);
      const context = me.value.user || !user ? {} : { context: { user } };
      const { results: [result] } = await api.post('/v1/execute', { exact: true, body: { ...context, wait_ms: 2000, consent: 'return', calls: [{ tool: tool.name, arguments: args }] } });
      setCall(result);
      const about = result?.error_type === 'validation_error' ? fieldIn(result.message ?? '', fields) : '';
      if (about) show({ [about]: result?.message ?? '' });
    } catch (err) {
      setProblem(asProblem(err));
    } finally {
      setBusy(false);
    }
  };

  return (
    <section class="card stack" aria-labelledby="try">
      <h2 id="try">{text.try}</h2>
      <form class="tools-form" noValidate onSubmit={(e) => { e.preventDefault(); if (!busy) void run(); }}>
        {fields.map((f, i) => <Input key={f.name} id={`try-${i}`} field={f} value={Object.hasOwn(values, f.name) ? values[f.name] ?? '' : ''} error={Object.hasOwn(errors, f.name) ? errors[f.name] ?? '' : ''} change={change} />)}
        {fields.length === 0 && <p class="faint">{text.noParameters}</p>}
        {!me.value.user && (
          <label class="field">{text.user}<input name="helve-user" autocomplete="off" value={user} onInput={(e) => setUser(e.currentTarget.value)} /><small>{text.userHint}</small></label>
        )}
        <div class="buttons"><Button type="submit" kind="primary" busy={busy}>{text.run}</Button></div>
      </form>
      <p class="sr" role="status">{busy ? text.running : ''}</p>
      {problem && <Failure problem={problem} />}
      {call && <Tried key={call.call_id} first={call} />}
    </section>
  );
}
