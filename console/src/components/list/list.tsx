// One list with its detail, for every page of many things. How its data flows:
// 1. The hook of the page fetches rows (usePages, or its own) for the filters of the address.
// 2. The server filters; what the API cannot filter, localRows filters among the loaded rows.
// 3. The address holds the filters and the open detail; this component the current row, what is
//    selected, and, beyond its own life, the place (placeOf).
// 4. Rows draws what lies near the screen, Facets and Histogram count what is loaded.
// 5. The detail is the page's; it moves the list by Steps only.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { navigate, place, useQuery } from '../../app/router';
import { t } from '../../text';
import { Button } from '../button';
import { Empty, Failure, Stale } from '../failure';
import { Page } from '../page';
import { Bulk } from './bulk';
import { localRows } from './counts';
import type { Definition, Filters, Rows as Read, Steps } from './definition';
import { Facets } from './facets';
import { Groups, SelectAll } from './groups';
import { Histogram } from './histogram';
import { useKeys } from './keys';
import { spanOf } from './period';
import { reveal, Rows } from './rows';
import { Search } from './search';

interface Props<R> {
  readonly of: Definition<R>;
  readonly read: Read<R>;
  readonly filters: Filters;
  readonly change: (change: Record<string, string>) => void;
  // The id of the open detail; '' for none.
  readonly id: string;
}

// useFilters returns those parameters of the address that are filters of a list, and a function
// that changes some.
export function useFilters(names: readonly string[]): [Filters, Props<unknown>['change']] {
  const [query, change] = useQuery();
  return [Object.fromEntries(names.map((n) => [n, query.get(n) ?? '']).filter(([, v]) => v)), change];
}

// Where a person was in a list: the current row, and how far it and the page were scrolled.
interface Place {
  readonly search: string;
  readonly current: string;
  readonly within: number;
  readonly page: number;
}

const places = new Map<string, Place>();

// An answer by a key counts only once its request has been shown for a moment: the second
// press of a person who pressed twice is no answer to the next request.
const settling = 400;

export function List<R>({ of: d, read, filters, change, id }: Props<R>) {
  const frame = useRef<HTMLDivElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState(() => placeOf(d.name)?.current ?? '');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { search } = place.value;
  const words = d.search?.fits ? filters[d.search.name] ?? '' : '';
  const rows = useMemo(() => {
    const found = localRows(read.rows ?? [], d.facets, filters);
    return words ? found.filter((r) => d.search?.fits?.(r, words)) : found;
  }, [read.rows, search]);
  const hrefOf = useCallback((of: string) => d.item + encodeURIComponent(of) + search, [d.item, search]);

  const known = rows.some((r) => d.idOf(r) === cursor);
  const current = id || (known ? cursor : d.preview && rows[0] !== undefined ? d.idOf(rows[0]) : '');
  useEffect(() => { if (current && current !== cursor) setCursor(current); }, [current]);
  const row = useMemo(() => rows.find((r) => d.idOf(r) === current), [rows, current]);
  usePlaceOf(d.name, frame, id, current, search, read.rows !== undefined);
  const go = useSteps({ d, rows, id, current, hrefOf, setCursor, frame, pane });
  const back = d.path + search;
  const steps: Steps = { next: go.next, back, close: () => navigate(back, { replace: true }) };
  useReady(pane, current);

  const choose = useCallback((of: string, yes: boolean) => setChosen((s) => { const next = new Set(s); if (yes) next.add(of); else next.delete(of); return next; }), []);
  const choosable = (r: R) => d.acts?.some((a) => a.fits(r)) ?? false;
  const acts = d.acts ?? [];
  const picked = rows.filter((r) => chosen.has(d.idOf(r)) && choosable(r));
  const answer = (kind: 'grant' | 'deny') => {
    const button = pane.current?.querySelector<HTMLElement>(`[data-answer="${kind}"]`);
    if (button?.checkVisibility() && pane.current?.hasAttribute('data-ready')) button.click();
  };
  useKeys({
    j: () => go.move(1), k: () => go.move(-1), a: () => answer('grant'), d: () => answer('deny'),
    x: () => { if (row && choosable(row)) choose(current, !chosen.has(current)); },
    '/': () => frame.current?.querySelector<HTMLElement>('input[type="search"]')?.focus(),
    Escape: () => { if (id) navigate(back); },
  });

  const busy = read.rows === undefined && !read.problem;
  const detail = id ? d.detail(id, row, steps) : d.preview && row !== undefined ? d.preview(row, steps) : undefined;
  return (
    <div ref={frame} class={`split${id ? ' open' : detail ? ' previews' : ''}`}>
      <div class="list" aria-busy={busy || read.stale || undefined}>
        <Page title={d.documentTitle ?? d.title} heading={d.title} within={id !== ''} aside={d.aside}>
          {d.search && <Search of={d.search} value={filters[d.search.name] ?? ''} change={change} />}
          <Facets list={d.name} facets={d.facets} rows={rows} filters={filters} change={change} period={d.timeOf !== undefined} />
          {d.timeOf && rows.length > 0 && <Times of={d} rows={rows} filters={filters} change={change} />}
          {d.above}
          <p class="list-count small faint" role="status">{read.rows && d.found(rows.length, read.more)}</p>
          <Stale problem={read.rows && read.problem} />
          {!read.rows && (read.problem ? <Failure problem={read.problem} retry={read.refresh} /> : <p class="faint">{t().common.loading}</p>)}
          {read.rows && rows.length === 0 && <Empty title={d.empty[0]}>{Object.keys(filters).length > 0 ? d.empty[2] : d.empty[1]}</Empty>}
          {acts.length > 0 && rows.length > 0 && <SelectAll rows={rows.filter(choosable)} idOf={d.idOf} chosen={chosen} set={setChosen} />}
          {d.groupOf && <Groups rows={rows.filter(choosable)} groupOf={d.groupOf} choose={(of) => setChosen(new Set(of.map(d.idOf)))} />}
          <span id="row-select" hidden>{t().list.select}</span>
          <div class={read.stale ? 'list-rows stale-rows' : 'list-rows'}>
            {rows.length > 0 && <Rows label={d.title} rows={rows} idOf={d.idOf} line={d.line} hrefOf={hrefOf} current={current} open={id !== ''}
              by={(name, value) => (d.facets.some((f) => f.name === name) ? `${d.path}?${new URLSearchParams({ [name]: value })}` : undefined)}
              chosen={chosen} choose={acts.length > 0 ? choose : undefined} choosable={choosable} atEnd={() => { if (read.auto && read.more) read.showMore(); }} />}
            {read.moreProblem && <Failure problem={read.moreProblem} retry={read.showMore} />}
            {read.more && <p class="list-more"><Button onClick={read.showMore}>{t().common.more}</Button></p>}
          </div>
          {acts.length > 0 && <Bulk chosen={picked} acts={acts} idOf={d.idOf} what={(r) => d.line(r).what} select={(of) => setChosen(new Set(of.map(d.idOf)))} />}
        </Page>
      </div>
      {detail && (
        <div key={current} ref={pane} class="detail" data-detail={current}>
          {id && <p class="detail-bar"><a href={steps.back}>{t().list.back(d.title)}</a></p>}
          {detail}
        </div>
      )}
    </div>
  );
}

function Times<R>({ of: d, rows, filters, change }: { of: Definition<R>; rows: readonly R[]; filters: Filters; change: Props<R>['change'] }) {
  const all = rows.map((r) => ({ at: Date.parse(d.timeOf?.(r) ?? ''), outcome: d.line(r).outcome })).filter((r) => !Number.isNaN(r.at));
  const [from, to] = spanOf(all.map((r) => r.at), filters, Date.now());
  return <Histogram rows={all} from={from} to={to} choose={(begin, end) => change({ from: begin, to: end })} />;
}

interface Going<R> {
  readonly d: Definition<R>;
  readonly rows: readonly R[];
  readonly id: string;
  readonly current: string;
  readonly hrefOf: (id: string) => string;
  readonly setCursor: (id: string) => void;
  readonly frame: { readonly current: HTMLElement | null };
  readonly pane: { readonly current: HTMLElement | null };
}

// useSteps returns how the list goes on: by one row, or to the next that waits for an answer.
function useSteps<R>(given: Going<R>) {
  const latest = useRef(given);
  latest.current = given;
  // Set where the focus belongs after the next drawing.
  const focus = useRef<'row' | 'pane'>();
  const { d, rows, current } = given;
  useLayoutEffect(() => {
    if (focus.current === 'row') reveal(given.frame.current, rows.findIndex((r) => d.idOf(r) === current), current);
    if (focus.current === 'pane') given.pane.current?.querySelector<HTMLElement>('h1, h2')?.focus({ preventScroll: true });
    focus.current = undefined;
  }, [current]);
  const to = (r: R, then: 'row' | 'pane') => {
    const g = latest.current;
    // An open detail is replaced, so that going back leads to the list.
    if (g.id) return navigate(g.hrefOf(g.d.idOf(r)), { replace: true });
    focus.current = then;
    g.setCursor(g.d.idOf(r));
  };
  const move = (by: number) => {
    const g = latest.current;
    const at = g.rows.findIndex((r) => g.d.idOf(r) === g.current);
    const next = g.rows[at < 0 ? 0 : at + by];
    if (next === undefined) return;
    if (g.d.idOf(next) === g.current) reveal(g.frame.current, 0, g.current);
    else to(next, 'row');
  };
  const next = (done: string) => {
    const g = latest.current;
    const at = g.rows.findIndex((r) => g.d.idOf(r) === done);
    const found = [...g.rows.slice(at + 1), ...g.rows.slice(0, Math.max(0, at))].find((r) => g.d.waits?.(r) && g.d.idOf(r) !== done);
    if (found !== undefined) to(found, 'pane');
    else given.pane.current?.querySelector<HTMLElement>('h1, h2')?.focus({ preventScroll: true });
  };
  return { move, next };
}

// useReady marks the pane once it has shown its thing for a moment.
function useReady(pane: { readonly current: HTMLElement | null }, current: string): void {
  useEffect(() => {
    const timer = setTimeout(() => pane.current?.setAttribute('data-ready', ''), settling);
    return () => clearTimeout(timer);
  }, [current]);
}

// placeOf returns where a person was who goes back to a list.
function placeOf(name: string): Place | undefined {
  const found = places.get(name);
  return place.value.back && found?.search === location.search ? found : undefined;
}

// usePlaceOf keeps where a person is in the list, and returns there when they come back to it:
// from a detail, which on a narrow screen takes the place of the list, or from another page.
function usePlaceOf(name: string, frame: { readonly current: HTMLElement | null }, id: string, current: string, search: string, ready: boolean): void {
  const now = useRef<Place>();
  const state = useRef({ current, search });
  state.current = { current, search };
  useEffect(() => {
    const note = () => {
      const rows = frame.current?.querySelector('.list-rows');
      if (rows?.checkVisibility()) now.current = { ...state.current, within: rows.scrollTop, page: scrollY };
    };
    document.addEventListener('scroll', note, { passive: true, capture: true });
    return () => {
      document.removeEventListener('scroll', note, { capture: true });
      places.set(name, { within: 0, page: 0, ...now.current, ...state.current });
    };
  }, []);
  const was = useRef({ shown: false, away: false });
  useLayoutEffect(() => {
    const to = was.current.shown ? now.current : placeOf(name);
    if (id) was.current.away = true;
    if (id || !ready) return;
    const back = was.current.away || to !== undefined;
    was.current = { shown: true, away: false };
    if (to?.search === search) {
      frame.current?.querySelector('.list-rows')?.scrollTo({ top: to.within, behavior: 'instant' });
      scrollTo({ top: to.page, behavior: 'instant' });
    }
    if (back && (document.activeElement === document.body || document.activeElement?.tagName === 'H1')) {
      frame.current?.querySelector<HTMLElement>('.row.current .row-link')?.focus({ preventScroll: true });
    }
  }, [id, ready]);
}
