// The rows that lie near the screen, as links in a list of one height each.

import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { language, t } from '../../text';
import { Short } from '../plain';
import type { Line } from './definition';
import { Glyph } from './outcome';
import { viewOf } from './view';

interface Props<R> {
  readonly label: string;
  readonly rows: readonly R[];
  readonly idOf: (row: R) => string;
  readonly line: (row: R) => Line;
  readonly hrefOf: (id: string) => string;
  // The row that keys act on, and whether its detail is open at an address of its own.
  readonly current: string;
  readonly open: boolean;
  // Who a row names leads to the list filtered by the name.
  readonly by: (name: 'agent' | 'user', value: string) => string | undefined;
  readonly chosen: ReadonlySet<string>;
  // undefined where nothing can be selected.
  readonly choose: ((id: string, yes: boolean) => void) | undefined;
  readonly choosable: (row: R) => boolean;
  // Called when the end comes near.
  readonly atEnd: () => void;
}

export function Rows<R>(p: Props<R>) {
  const list = useRef<HTMLOListElement>(null);
  const { rows, idOf, current } = p;
  const [from, to, height] = useView(list, rows, idOf);
  useEffect(() => { if (to >= rows.length - 10) p.atEnd(); }, [to, rows.length]);
  const at = useMemo(() => rows.findIndex((r) => idOf(r) === current), [rows, current]);
  // The current row is always drawn: it may have the focus, and is where Tab enters the list.
  const shown = Array.from({ length: to - from }, (_, i) => from + i);
  if (at >= 0 && at < from) shown.unshift(at);
  if (at >= to) shown.push(at);
  const enter = at >= 0 ? at : from;
  return (
    <ol ref={list} class="rows" style={{ height: `${rows.length * height}px` }} aria-label={p.label}>
      {shown.map((i) => {
        const row = rows[i];
        return row !== undefined && <Row key={idOf(row)} of={row} index={i} count={rows.length} height={height} tab={i === enter} all={p} />;
      })}
    </ol>
  );
}

interface RowProps<R> {
  readonly of: R;
  readonly index: number;
  readonly count: number;
  readonly height: number;
  readonly tab: boolean;
  readonly all: Props<R>;
}

function Row<R>({ of: row, index, count, height, tab, all: p }: RowProps<R>) {
  const id = p.idOf(row);
  const [current, chosen] = [p.current === id, p.chosen.has(id)];
  const href = p.hrefOf(id);
  const reach = tab ? 0 : -1;
  return useMemo(() => {
    const { outcome, word, tone, what, agent, user, when } = p.line(row);
    // Attributes that name several ids part them with blanks, which a path may have.
    const name = encodeURIComponent(id);
    return (
      <li class={`row${current ? ' current' : ''}${p.choose ? ' with-choice' : ''}`} data-row={id} style={{ top: `${index * height}px` }} aria-setsize={count} aria-posinset={index + 1}>
        {p.choose && (p.choosable(row)
          ? <input type="checkbox" tabIndex={reach} aria-labelledby={`row-select row-${name}`} checked={chosen} onChange={(e) => p.choose?.(id, e.currentTarget.checked)} />
          : <span class="no-choice" />)}
        <a id={`row-${name}`} class="row-link" href={href} tabIndex={reach} aria-current={current && p.open ? 'true' : undefined} aria-describedby={`more-${name}`}>
          <Glyph of={outcome} word={word} tone={tone} /><span class="row-what">{what}</span>
        </a>
        <span id={`more-${name}`} class="row-more">
          <span class="row-who">
            {agent && <By name="agent" value={agent} by={p.by} />}
            {agent && user && <span aria-hidden="true"> → </span>}
            {user && <><span class="sr">{t().list.for} </span><By name="user" value={user} by={p.by} /></>}
          </span>
          <span class="row-when">{when}</span>
        </span>
      </li>
    );
  }, [row, index, count, height, current, p.open, chosen, reach, href, p.choose, language.value]);
}

// By leads to what one agent or person has to do with. It is not on the way of Tab, which a
// person would press twice for each row: the facets and the detail lead there too.
function By({ name, value, by }: { name: 'agent' | 'user'; value: string; by: Props<unknown>['by'] }) {
  const href = by(name, value);
  return href ? <a href={href} tabIndex={-1}><Short text={value} most={40} /></a> : <span><Short text={value} most={40} /></span>;
}

// heightOf returns the height of a row, which the style sets for the whole document: it is known
// before there are rows, so that a place can be returned to.
function heightOf(): number {
  return parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row')) || 30;
}

// seen returns the part of the screen that shows the list.
function seen(list: HTMLElement): { readonly top: number; readonly bottom: number } {
  const box = (list.parentElement ?? list).getBoundingClientRect();
  const top = Math.max(0, box.top);
  return { top, bottom: Math.max(top, Math.min(innerHeight, box.bottom)) };
}

// scrolled moves the list by a number of pixels: within itself on wide screens, with the page
// on narrow ones.
function scrolled(list: HTMLElement, by: number): void {
  const around = list.parentElement;
  if (around && getComputedStyle(around).overflowY === 'auto') around.scrollTop += by;
  else scrollBy({ top: by, behavior: 'instant' });
}

// useView returns which rows are drawn and how high they are. Rows that come and go above what
// is seen move nothing on the screen.
function useView<R>(list: RefObject<HTMLOListElement>, rows: readonly R[], idOf: (row: R) => string): readonly [number, number, number] {
  const [[from, to, height], setView] = useState<readonly [number, number, number]>(() => [0, Math.min(rows.length, 60), heightOf()]);
  // The first row that is seen while the list is not at its beginning.
  const anchor = useRef<{ readonly id: string; readonly at: number }>();
  const latest = useRef(rows);
  latest.current = rows;
  const look = () => {
    const el = list.current;
    const row = heightOf();
    if (!el?.checkVisibility()) return setView((v) => (v[2] === row ? v : [v[0], v[1], row]));
    const { top, bottom } = seen(el);
    const above = top - el.getBoundingClientRect().top;
    const at = Math.floor(above / row);
    const first = above > 1 ? latest.current[at] : undefined;
    anchor.current = first === undefined ? undefined : { id: idOf(first), at };
    const [a, b] = viewOf(latest.current.length, above, bottom - top, row);
    setView((v) => (v[0] === a && v[1] === b && v[2] === row ? v : [a, b, row]));
  };
  useLayoutEffect(() => {
    const before = anchor.current;
    const at = before ? rows.findIndex((r) => idOf(r) === before.id) : -1;
    if (before && at >= 0 && at !== before.at && list.current) scrolled(list.current, (at - before.at) * height);
    look();
  }, [rows]);
  useEffect(() => {
    let frame = 0;
    const later = () => { frame ||= requestAnimationFrame(() => { frame = 0; look(); }); };
    // Scrolling of the list's own frame does not bubble, but is captured.
    document.addEventListener('scroll', later, { passive: true, capture: true });
    const size = new ResizeObserver(later);
    if (list.current?.parentElement) size.observe(list.current.parentElement);
    return () => { cancelAnimationFrame(frame); document.removeEventListener('scroll', later, { capture: true }); size.disconnect(); };
  }, []);
  return [from, Math.min(to, rows.length), height];
}

// reveal scrolls as little as shows the row with a number, and gives its link the focus.
export function reveal(within: HTMLElement | null, index: number, id: string): void {
  const list = within?.querySelector<HTMLElement>('.rows');
  if (!list) return;
  const height = heightOf();
  const { top, bottom } = seen(list);
  const begin = list.getBoundingClientRect().top + index * height;
  if (begin < top) scrolled(list, begin - top);
  else if (begin + height > bottom) scrolled(list, begin + height - bottom);
  list.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"] .row-link`)?.focus({ preventScroll: true });
}
