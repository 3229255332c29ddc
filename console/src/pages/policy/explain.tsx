// A form that tells what would be decided about a call, which is not made.

import { useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { asProblem, type Problem } from '../../api/problem';
import { Risk } from '../../components/badge';
import { Button } from '../../components/button';
import { Facts } from '../../components/facts';
import { Failure } from '../../components/failure';
import { Plain } from '../../components/plain';
import { Table, type Column } from '../../components/table';
import { t } from '../../text';
import { questionOf, type Wrong } from './question';

type Explanation = Schemas['PolicyExplanation'];
type Reason = Schemas['PolicyReason'];

const tones = { run: 'good', ask: 'warn', refuse: 'bad' } as const;

export function Explain() {
  const [wrong, setWrong] = useState<Wrong>({});
  const [problem, setProblem] = useState<Problem>();
  const [answer, setAnswer] = useState<Explanation>();
  const [busy, setBusy] = useState(false);
  const submit = async (form: HTMLFormElement) => {
    const { question, wrong: bad } = questionOf(new FormData(form));
    setWrong(bad);
    setProblem(undefined);
    setAnswer(undefined);
    if (!question) {
      form.querySelector<HTMLElement>(`[name=${Object.keys(bad)[0]}]`)?.focus();
      return;
    }
    setBusy(true);
    try {
      setAnswer(await api.post('/v1/policy/explain', { body: question }));
    } catch (err) {
      setProblem(asProblem(err));
    }
    setBusy(false);
  };
  const word = (name: 'user' | 'agent' | 'conversation', label: string) => (
    <label class="field">{label}<input name={name} maxLength={64} pattern="[A-Za-z0-9_\-]{1,64}" autocomplete="off" spellcheck={false} /></label>
  );
  return (
    <section class="stack" aria-labelledby="explain">
      <h2 id="explain">{t().policy.explain}</h2>
      <form onSubmit={(e) => { e.preventDefault(); if (!busy) void submit(e.currentTarget); }}>
        <div class="filters">
          <label class="field">{t().policy.tool}
            <input name="tool" maxLength={64} autocomplete="off" spellcheck={false} aria-invalid={wrong.tool || undefined} aria-describedby="tool-wrong" />
            <small id="tool-wrong" class="policy-wrong">{wrong.tool && t().policy.wrongTool}</small>
          </label>
          {word('user', t().policy.user)}
          {word('agent', t().policy.agent)}
          {word('conversation', t().policy.conversation)}
          <label class="field">{t().policy.origin}
            <select name="origin">{Object.entries(t().policy.origins).map(([value, label]) => <option key={value} value={value}>{label}</option>)}</select>
          </label>
        </div>
        <label class="field">{t().policy.arguments}
          <textarea class="policy-arguments" name="arguments" rows={4} spellcheck={false} aria-invalid={wrong.arguments || undefined} aria-describedby="arguments-wrong" placeholder="{}" />
          <small id="arguments-wrong" class="policy-wrong">{wrong.arguments && t().policy.wrongArguments}</small>
        </label>
        <Button type="submit" kind="primary" busy={busy}>{t().policy.ask}</Button>
      </form>
      <div role="status">{answer && <Answer of={answer} />}</div>
      {problem && <Failure problem={problem} />}
    </section>
  );
}

function Answer({ of: a }: { of: Explanation }) {
  const columns: readonly Column<Reason>[] = [
    { id: 'rule', label: t().policy.rule, main: true, cell: (r) => <Plain text={r.rule} most={80} /> },
    { id: 'effect', label: t().policy.effect, cell: (r) => <span>{t().policy.effects[r.effect]} · {t().policy.actions[r.action]}</span> },
    { id: 'at', label: t().policy.at, cell: (r) => <Plain text={r.at} most={80} /> },
    { id: 'error', label: t().policy.error, cell: (r) => r.error ? <Plain text={r.error} most={200} /> : '–' },
  ];
  return (
    <div class="card stack policy-answer">
      <h3><span class={`badge ${tones[a.outcome]}`}>{t().policy.decisions[a.outcome]}</span> <Plain text={a.tool} most={80} /> <Risk of={a.risk} /></h3>
      <p><Plain text={a.reason} most={400} /></p>
      <Facts of={[
        [t().policy.by, <Plain key="r" text={a.at ? `${a.rule} (${a.at})` : a.rule} most={120} />],
        [t().policy.table, <span key="t">{t().policy.decisions[a.table.outcome]} (<Plain text={a.table.rule} most={80} />)</span>],
        [t().policy.mutates, a.mutates ? t().policy.yes : t().policy.no],
        [t().policy.strong, a.strong ? t().policy.yes : t().policy.no],
        [t().policy.ttl, a.ttl_seconds > 0 && t().policy.seconds(a.ttl_seconds)],
        [t().policy.narrow, a.narrow.length > 0 && <Plain text={a.narrow.map((s) => [...s.paths, ...s.hosts, ...s.apps].join(', ')).join(' ∩ ')} most={300} />],
      ]} />
      {a.rules.length > 0 && <Table caption={t().policy.matching} columns={columns} rows={a.rules} keyOf={(r) => `${r.at} ${r.rule} ${r.action}`} />}
    </div>
  );
}
