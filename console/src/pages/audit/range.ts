// The places between which the records of a time are.

import { api } from '../../api/client';
import type { Filters } from './query';

export interface Range {
  readonly from_seq: string;
  readonly to_seq: string;
}

// rangeOf returns the places of the first and the last record of the chosen time, undefined
// if there is none. Other filters do not count: seals cover all that lies between.
export async function rangeOf({ from, to }: Filters): Promise<Range | undefined> {
  const time = { ...(from && { from }), ...(to && { to }) };
  const [first, last] = await Promise.all([
    api.get('/v1/audit', { query: { ...time, limit: 1 } }),
    api.get('/v1/audit', { query: { ...time, limit: 1, newest: 'true' } }),
  ]);
  const [begin, end] = [first.records[0]?.seq, last.records[0]?.seq];
  return begin && end ? { from_seq: `${begin}`, to_seq: `${end}` } : undefined;
}
