// The export of the chosen records with their seals, as a file for `helve audit verify`.

import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { asProblem } from '../../api/problem';
import { Button } from '../../components/button';
import { toast } from '../../components/toast';
import { save } from '../../lib/save';
import { t } from '../../text';
import { exportOf, type Filters } from './query';

// The file is put together in the page, so it has a bound; longer ones are for the command.
const [pageSize, mostPages] = [1000, 200];

export function Export({ chosen }: { chosen: Filters }) {
  const [busy, setBusy] = useState(false);
  const collectAll = async () => {
    setBusy(true);
    try {
      const { lines, all } = await collect((cursor) => api.get('/v1/audit/export', { query: { ...exportOf(chosen), limit: pageSize, cursor } }), mostPages);
      save(new Blob(lines.map((l) => l + '\n'), { type: 'application/x-ndjson' }), 'helve-audit.jsonl');
      toast(all ? t().audit.exported(lines.length) : t().audit.exportedPart(lines.length), all ? 'good' : 'bad');
    } catch (err) {
      toast(t().problems(asProblem(err)), 'bad');
    }
    setBusy(false);
  };
  return <Button busy={busy} onClick={collectAll}>{t().audit.export}</Button>;
}

type Part = { readonly lines: readonly string[]; readonly next?: string };

// collect reads pages until the last, or until there are `most`; all is false then.
export async function collect(page: (cursor: string) => Promise<Part>, most: number): Promise<{ lines: string[]; all: boolean }> {
  const lines: string[] = [];
  let cursor = '';
  for (let n = 0; n < most; n++) {
    const part = await page(cursor);
    lines.push(...part.lines);
    if (!part.next) return { lines, all: true };
    cursor = part.next;
  }
  return { lines, all: false };
}
