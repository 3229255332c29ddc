// The search box and the filters of the list of calls.

import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { spelled } from '../../lib/visible';
import { t } from '../../text';
import type { Filters } from './list';

// A search begins when the person pauses.
const typing = 250;

export function Filter({ chosen, change }: { chosen: Filters; change: (c: Record<string, string>) => void }) {
  const [words, setWords] = useState(chosen.q ?? '');
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => setWords(chosen.q ?? ''), [chosen.q]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (text: string) => {
    setWords(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => change({ q: text.trim() }), typing);
  };
  const text = (name: keyof Filters, label: string, pattern = '[A-Za-z0-9_\\-]{1,64}') => (
    <label class="field">{label}
      <input name={name} key={chosen[name] ?? ''} defaultValue={chosen[name] ?? ''} pattern={pattern} maxLength={128} autocomplete="off" spellcheck={false}
        onChange={(e) => { if (e.currentTarget.checkValidity()) change({ [name]: e.currentTarget.value }); else e.currentTarget.reportValidity(); }} />
    </label>
  );
  const open = Object.keys(chosen).some((f) => f !== 'q' && f !== 'state' && f !== 'from');
  return (
    <search>
      <div class="filters">
        <label class="field search">{t().calls.search}
          <input type="search" name="q" value={words} maxLength={200} autocomplete="off" spellcheck={false} onInput={(e) => search(e.currentTarget.value)} />
          <small>{t().calls.searchHint}</small>
        </label>
        <label class="field">{t().calls.state}
          <select name="state" value={chosen.state ?? (chosen.status ? `done ${chosen.status}` : '')} onChange={(e) => {
            const [state, status = ''] = e.currentTarget.value.split(' ');
            change({ state: status ? '' : state ?? '', status });
          }}>
            <option value="">{t().common.all}</option>
            {['queued', 'running', 'awaiting_consent'].map((s) => <option key={s} value={s}>{t().status[s]}</option>)}
            <option value="done success">{t().status['success']}</option>
            <option value="done error">{t().status['error']}</option>
          </select>
        </label>
        <label class="field">{t().calls.period}
          <select name="from" value={chosen.from ?? ''} onChange={(e) => change({ from: e.currentTarget.value })}>
            <option value="">{t().common.all}</option>
            {(['15m', '1h', '24h', '168h'] as const).map((p) => <option key={p} value={p}>{t().calls.periods[p]}</option>)}
            {chosen.from && !['15m', '1h', '24h', '168h'].includes(chosen.from) && <option value={chosen.from}>{spelled(chosen.from)}</option>}
          </select>
        </label>
      </div>
      <details class="calls-filters" open={open || undefined}>
        <summary>{t().calls.filters}</summary>
        <div class="filters">
          {text('tool', t().calls.tool, '[a-zA-Z][a-zA-Z0-9_.]{0,63}')}
          {text('user', t().calls.user)}
          {text('agent', t().calls.agent)}
          {text('conversation', t().calls.conversation)}
          {text('pool', t().calls.pool)}
          {text('trace_id', t().calls.trace, '[0-9a-f]{32}')}
        </div>
        <Button kind="quiet" onClick={() => change({ tool: '', user: '', agent: '', conversation: '', pool: '', trace_id: '', state: '', status: '', from: '', to: '', q: '' })}>{t().calls.reset}</Button>
      </details>
    </search>
  );
}
