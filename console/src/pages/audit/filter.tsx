// The filters of the search of the trail, which live in the address.

import { Button } from '../../components/button';
import { t } from '../../text';
import { filters, localOf, names, utcOf, type Filters } from './query';

const patterns: Readonly<Record<(typeof names)[number], string>> = {
  tool: '[a-zA-Z][a-zA-Z0-9_.]{0,63}', user: '[A-Za-z0-9_\\-]{1,64}', agent: '[A-Za-z0-9_\\-]{1,64}', conversation: '[A-Za-z0-9_\\-]{1,64}',
  call_id: '[A-Za-z0-9_\\-~]{1,140}', trace_id: '[0-9a-f]{32}', error_type: '[a-z_]{1,64}',
};

export function Filter({ chosen, change }: { chosen: Filters; change: (c: Record<string, string>) => void }) {
  const choice = (name: 'phase' | 'outcome' | 'status', label: string, options: Readonly<Record<string, string>>) => (
    <label class="field">{label}
      <select name={name} value={chosen[name] ?? ''} onChange={(e) => change({ [name]: e.currentTarget.value })}>
        <option value="">{t().common.all}</option>
        {Object.entries(options).map(([value, word]) => <option key={value} value={value}>{word}</option>)}
      </select>
    </label>
  );
  const time = (name: 'from' | 'to', label: string) => (
    <label class="field">{label}
      <input type="datetime-local" step="1" name={name} value={localOf(chosen[name] ?? '')} onChange={(e) => change({ [name]: utcOf(e.currentTarget.value) })} />
    </label>
  );
  return (
    <search>
      <label class="field search">{t().audit.search}
        <input type="search" name="text" key={chosen.text ?? ''} defaultValue={chosen.text ?? ''} maxLength={200} autocomplete="off" spellcheck={false}
          onChange={(e) => change({ text: e.currentTarget.value.trim() })} />
        <small>{t().audit.searchHint}</small>
      </label>
      <div class="filters audit-filters">
        {names.map((name) => (
          <label key={name} class="field">{t().audit.filters[name]}
            <input name={name} key={chosen[name] ?? ''} defaultValue={chosen[name] ?? ''} pattern={patterns[name]} maxLength={140} autocomplete="off" spellcheck={false}
              onChange={(e) => { if (e.currentTarget.reportValidity()) change({ [name]: e.currentTarget.value }); }} />
          </label>
        ))}
        {choice('phase', t().audit.phase, t().audit.phases)}
        {choice('outcome', t().audit.outcome, t().audit.outcomes)}
        {choice('status', t().audit.status, t().audit.statuses)}
        {time('from', t().audit.from)}
        {time('to', t().audit.to)}
        {Object.keys(chosen).length > 0 && <Button kind="quiet" onClick={() => change(Object.fromEntries(filters.map((f) => [f, ''])))}>{t().audit.reset}</Button>}
      </div>
    </search>
  );
}
