// How a call ended, by its final audit record: what is left of a call that is kept nowhere else.

import type { Schemas } from '../../api/client';
import type { Call } from './use';

type AuditRecord = Schemas['AuditRecord'];

const last: readonly string[] = ['finished', 'refused', 'cancelled'];

// ofRecords returns the call of its records, undefined if it has no final one. Records of looks at
// it come later and say nothing about it.
export function ofRecords(records: readonly AuditRecord[] | undefined): Call | undefined {
  const r = records?.find((one) => last.includes(one.phase) && one.result);
  if (!r?.result || !r.call_id || !r.tool) return undefined;
  return {
    call_id: r.call_id, tool: r.tool, state: 'done', status: r.result.status as Call['status'], duration_ms: r.duration_ms ?? 0,
    kept: { by: 'record' }, owner: { ...(r.user ? { user: r.user } : {}), ...(r.agent ? { agent: r.agent } : {}) },
    ...(r.trace_id ? { trace_id: r.trace_id } : {}), ...(r.args_hash ? { args_hash: r.args_hash } : {}),
    ...(r.worker ? { worker: r.worker } : {}), ...(r.attempt ? { attempt: r.attempt } : {}),
    ...(r.result.error_type ? { error_type: r.result.error_type as NonNullable<Call['error_type']> } : {}),
    ...(r.result.status === 'error' && r.result.summary ? { message: r.result.summary } : {}),
  };
}
