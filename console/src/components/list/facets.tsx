// The filters of a list: for each property the values of the loaded rows with their number.

import type { ComponentChildren } from 'preact';
import { t } from '../../text';
import { Button } from '../button';
import { Short } from '../plain';
import { countsOf } from './counts';
import type { Facet, Filters } from './definition';
import { localOf, periods, utcOf, yesterday } from './period';
import { Popup } from './popup';
import { SavedFilters } from './savedfilters';

type Change = (change: Record<string, string>) => void;

interface Props<R> {
  // The name of the list.
  readonly list: string;
  readonly facets: readonly Facet<R>[];
  readonly rows: readonly R[];
  readonly filters: Filters;
  readonly change: Change;
  readonly period: boolean;
}

// So many values of a property are offered; the field takes any other.
const offered = 40;

export function Facets<R>({ list, facets, rows, filters, change, period }: Props<R>) {
  const words: { key: string; label: string; value: ComponentChildren; clear: Record<string, string> }[] = facets.flatMap((f) => {
    const value = chosenOf(f, filters);
    return value ? [{ key: f.name, label: f.label, value: f.word?.(value) ?? <Short text={value} most={40} />, clear: settingOf(f, '') }] : [];
  });
  if (filters['from'] || filters['to']) words.push({ key: 'period', label: t().list.period, value: <Short text={periodWord(filters)} most={60} />, clear: { from: '', to: '' } });
  return (
    <>
      <div class="facets" role="group" aria-label={t().list.filters}>
        {facets.map((f) => <Choice key={f.name} of={f} rows={rows} filters={filters} change={change} />)}
        {period && <Period filters={filters} change={change} />}
        <SavedFilters list={list} filters={filters} change={change} />
      </div>
      {words.length > 0 && (
        <ul class="chosen" aria-label={t().list.chosenFilters}>
          {words.map((w) => (
            <li key={w.key}><button type="button" class="chip" onClick={() => change(w.clear)}><span class="sr">{t().list.remove} </span>{w.label}: {w.value} <span aria-hidden="true">×</span></button></li>
          ))}
          <li><Button kind="quiet" onClick={() => change(Object.fromEntries(Object.keys(filters).map((f) => [f, ''])))}>{t().list.reset}</Button></li>
        </ul>
      )}
    </>
  );
}

function chosenOf<R>(f: Facet<R>, filters: Filters): string {
  return f.chosen ? f.chosen(filters) : filters[f.name] ?? '';
}

function settingOf<R>(f: Facet<R>, value: string): Record<string, string> {
  return { ...(f.set ? f.set(value) : { [f.name]: value }) };
}

function periodWord({ from = '', to = '' }: Filters): string {
  if (!to && Object.hasOwn(t().list.periods, from)) return t().list.periods[from as keyof ReturnType<typeof t>['list']['periods']];
  const [begin, end] = [localOf(from) || from, localOf(to) || to].map((x) => x.replace('T', ' '));
  return [begin, '–', end].filter(Boolean).join(' ');
}

function Choice<R>({ of: f, rows, filters, change }: { of: Facet<R>; rows: readonly R[]; filters: Filters; change: Change }) {
  const chosen = chosenOf(f, filters);
  const counts = countsOf(rows, f).slice(0, offered);
  const pick = (value: string) => change(settingOf(f, value === chosen ? '' : value));
  return (
    <Popup name={f.name} label={f.label} active={chosen !== ''}>
      {f.pattern && (
        <input name={f.name} key={chosen} aria-label={f.label} defaultValue={chosen} pattern={f.pattern} maxLength={140} autocomplete="off" spellcheck={false}
          onChange={(e) => { if (e.currentTarget.reportValidity()) change(settingOf(f, e.currentTarget.value)); }} />
      )}
      <ul>
        {counts.map(([value, n]) => (
          <li key={value}><button type="button" class="value" aria-pressed={value === chosen} data-value={value} onClick={() => pick(value)}><span>{f.word?.(value) ?? <Short text={value} most={60} />}</span> <span class="number">{t().list.number(n)}</span></button></li>
        ))}
      </ul>
      <p class="small faint">{t().list.ofLoaded(rows.length)}</p>
    </Popup>
  );
}

function Period({ filters, change }: { filters: Filters; change: Change }) {
  const time = (name: 'from' | 'to', label: string) => (
    <label class="field">{label}
      <input type="datetime-local" step="1" name={name} value={localOf(filters[name] ?? '')} onChange={(e) => change({ [name]: utcOf(e.currentTarget.value) })} />
    </label>
  );
  return (
    <Popup name="period" label={t().list.period} active={!!filters['from'] || !!filters['to']}>
      <ul>
        {periods.map((p) => <li key={p}><button type="button" class="value" aria-pressed={filters['from'] === p} data-value={p} onClick={() => change({ from: p, to: '' })}>{t().list.periods[p]}</button></li>)}
        <li><button type="button" class="value" data-value="yesterday" onClick={() => change(yesterday(Date.now()))}>{t().list.yesterday}</button></li>
      </ul>
      {time('from', t().list.from)}
      {time('to', t().list.to)}
    </Popup>
  );
}
