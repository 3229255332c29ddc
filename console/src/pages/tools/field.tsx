// One parameter of a tool, to fill in.

import { Plain } from '../../components/plain';
import { spelled } from '../../lib/visible';
import { t } from '../../text';
import type { Field } from './form';

interface Props {
  readonly id: string;
  readonly field: Field;
  readonly value: string;
  readonly error: string;
  readonly change: (name: string, value: string) => void;
}

export function Input({ id, field: f, value, error, change }: Props) {
  const [hint, wrong] = [`${id}-hint`, `${id}-error`];
  const common = {
    id, value, 'aria-invalid': error ? true : undefined, 'aria-required': f.required || undefined, 'aria-describedby': `${hint} ${wrong}`,
    spellcheck: false, autocomplete: 'off' as const,
  };
  const typed = (e: { readonly currentTarget: { readonly value: string } }) => change(f.name, e.currentTarget.value);
  return (
    <div class="field tools-field">
      <label for={id}><Plain text={f.name} most={80} /> {!f.required && <span class="faint">{t().tools.optional}</span>}</label>
      {f.kind === 'choice' ? (
        <select {...common} onChange={typed}>
          <option value="">{f.required ? t().tools.choose : t().tools.unset}</option>
          {f.choices.map((c) => <option key={c} value={c}>{spelled(shown(c))}</option>)}
        </select>
      ) : f.kind === 'long' || f.kind === 'json' ? (
        <textarea {...common} class={f.kind === 'json' ? 'tools-json' : undefined} rows={2} onInput={typed} />
      ) : (
        <input {...common} inputMode={f.kind === 'text' ? 'text' : 'decimal'} onInput={typed} />
      )}
      <small id={hint}><Plain text={f.description} most={400} />{f.kind === 'json' && <> {t().tools.asJSON}</>}</small>
      <small id={wrong} class="tools-wrong" role={error ? 'alert' : undefined}>{error && <Plain text={error} most={400} />}</small>
    </div>
  );
}

// shown is a choice as people read it: a text without its quotes.
function shown(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' && value !== '' ? value : json;
}
