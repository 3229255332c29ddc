// Selecting rows: all of them, or those that have the same in common.

import { useMemo } from 'preact/hooks';
import { t } from '../../text';
import { groupsOf } from './counts';
import type { Group } from './definition';

// So many groups are offered, the largest.
const offered = 4;

export function SelectAll<R>({ rows, idOf, chosen, set }: { rows: readonly R[]; idOf: (row: R) => string; chosen: ReadonlySet<string>; set: (ids: ReadonlySet<string>) => void }) {
  if (rows.length === 0) return null;
  const all = rows.every((r) => chosen.has(idOf(r)));
  return (
    <label class="check select-all"><input type="checkbox" checked={all} onChange={(e) => set(new Set(e.currentTarget.checked ? rows.map(idOf) : []))} />{t().list.selectAll(rows.length)}</label>
  );
}

export function Groups<R>({ rows, groupOf, choose }: { rows: readonly R[]; groupOf: (row: R) => Group | undefined; choose: (rows: readonly R[]) => void }) {
  const groups = useMemo(() => groupsOf(rows, groupOf).slice(0, offered), [rows]);
  if (groups.length === 0) return null;
  return (
    <ul class="groups" aria-label={t().list.groups}>
      {groups.map(({ group, rows: alike }) => (
        <li key={group.key}><button type="button" class="chip" onClick={() => choose(alike)}><span class="sr">{t().list.select} </span>{t().list.number(alike.length)} × {group.label}</button></li>
      ))}
    </ul>
  );
}
