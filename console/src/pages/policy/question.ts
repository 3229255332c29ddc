// The question of the form, as the API takes it.

import type { Schemas } from '../../api/client';
import { parse } from '../../lib/exact';

type Question = Schemas['PolicyQuestion'];

export interface Wrong {
  readonly tool?: boolean;
  readonly arguments?: boolean;
}

// questionOf reads the form. Where fields are wrong there is no question.
export function questionOf(form: FormData): { readonly question?: Question; readonly wrong: Wrong } {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const wrong: { tool?: boolean; arguments?: boolean } = {};
  const tool = text('tool');
  if (!/^[a-zA-Z][a-zA-Z0-9_.]{0,63}$/.test(tool)) wrong.tool = true;
  const given: Record<string, unknown> = { tool };
  for (const name of ['user', 'agent', 'conversation', 'origin']) if (text(name)) given[name] = text(name);
  const args = text('arguments');
  if (args) {
    try {
      const value = parse(args);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) wrong.arguments = true;
      given['arguments'] = value;
    } catch {
      wrong.arguments = true;
    }
  }
  return Object.keys(wrong).length > 0 ? { wrong } : { question: given as Question, wrong };
}
