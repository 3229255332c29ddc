// Changing a task as its person would: by a call of a tool.

import { api } from '../../api/client';
import { Problem } from '../../api/problem';
import { navigate } from '../../app/router';
import { me } from '../../app/session';

// No user at all is written as this name.
const nobody = '_';

const wait = 10_000;

// make calls a tool for a person, and fails as the call does. A call that has not ended in time, or
// that a person must decide about, is shown.
export async function make(tool: string, args: Readonly<Record<string, unknown>>, user: string): Promise<void> {
  const context = me.value.user || user === nobody ? {} : { context: { user } };
  const { results: [call] } = await api.post('/v1/execute', { body: { ...context, wait_ms: wait, calls: [{ tool, arguments: args }] } });
  if (call?.status === 'error') throw new Problem(call.error_type ?? 'internal', call.message ?? '');
  if (call?.status === 'pending') navigate(`/calls/${encodeURIComponent(call.call_id)}`);
}
