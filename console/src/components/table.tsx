// A table that is a list of cards on a narrow screen. Of a long one only the rows near the
// screen are in the document, so that ten thousand scroll as ten do.

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Column<R> {
  readonly id: string;
  readonly label: string;
  readonly cell: (row: R) => ComponentChildren;
  readonly numeric?: boolean;
  // The heading of the row's card.
  readonly main?: boolean;
}

interface Props<R> {
  readonly caption: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string;
}

// More rows than `few` are virtual; then `spare` rows beyond the screen are kept.
const [few, spare] = [150, 20];

export function Table<R>({ caption, columns, rows, keyOf }: Props<R>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [from, to, height] = useWindow(body, rows.length);
  const pad = (n: number, id: string) => n > 0 && <tr key={id} class="pad" aria-hidden="true"><td colSpan={columns.length} style={{ height: `${n * height}px` }} /></tr>;
  return (
    <div class="scroll">
      <table class="table" aria-rowcount={rows.length + 1}>
        <caption class="sr">{caption}</caption>
        <thead><tr>{columns.map((c) => <th key={c.id} scope="col" class={c.numeric ? 'numeric' : undefined}>{c.label}</th>)}</tr></thead>
        <tbody ref={body}>
          {pad(from, 'before')}
          {rows.slice(from, to).map((row, i) => (
            <tr key={keyOf(row)} aria-rowindex={from + i + 2}>
              {columns.map((c) => {
                const inside = <><span class="label" aria-hidden="true">{c.label}</span><span class="cell">{c.cell(row)}</span></>;
                return c.main
                  ? <th key={c.id} scope="row" class="main">{inside}</th>
                  : <td key={c.id} class={c.numeric ? 'numeric' : undefined}>{inside}</td>;
              })}
            </tr>
          ))}
          {pad(rows.length - to, 'after')}
        </tbody>
      </table>
    </div>
  );
}

// useWindow returns which rows are near the screen, and the height of one.
function useWindow(body: { readonly current: HTMLElement | null }, rows: number): readonly [number, number, number] {
  const [height, setHeight] = useState(44);
  const [from, setFrom] = useState(0);
  const visible = Math.ceil(innerHeight / height) + 2 * spare;
  useLayoutEffect(() => {
    const row = body.current?.querySelector<HTMLElement>('tr:not(.pad)');
    const measured = row?.getBoundingClientRect().height ?? 0;
    if (rows > few && measured > 0 && Math.abs(measured - height) > 1) setHeight(measured);
  }, [rows]);
  useEffect(() => {
    if (rows <= few) return undefined;
    let frame = 0;
    const look = () => {
      frame = 0;
      const above = -(body.current?.getBoundingClientRect().top ?? 0) / height - spare;
      // In steps, so that not every pixel renders.
      setFrom(Math.max(0, Math.min(rows - visible, Math.floor(above / 10) * 10)));
    };
    const later = () => { frame ||= requestAnimationFrame(look); };
    look();
    addEventListener('scroll', later, { passive: true });
    addEventListener('resize', later, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', later);
      removeEventListener('resize', later);
    };
  }, [rows, height]);
  return rows <= few ? [0, rows, height] : [from, Math.min(rows, from + visible), height];
}
