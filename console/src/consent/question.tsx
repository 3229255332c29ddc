// The form of an answer: its schema is a flat object.

import { useId } from 'preact/hooks';
import { Plain } from '../components/plain';
import { spelled } from '../lib/visible';
import { t } from '../text';

interface Field {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
}

// Question has the fields of an answer, whose values answerOf reads from the form.
export function Question({ schema }: { schema: unknown }) {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema;
  const id = useId();
  return (
    <>
      {Object.entries(properties).map(([name, f]) => {
        const at = `${id}-${name}`;
        const must = required.includes(name);
        const common = { id: at, name, required: must && f.type !== 'boolean', 'aria-describedby': f.description ? `${at}-hint` : undefined };
        return (
          <div key={name} class={f.type === 'boolean' ? 'check' : 'field'}>
            {f.type === 'boolean' && <input type="checkbox" {...common} defaultChecked={f.default === true} />}
            <label for={at}><Plain text={f.title || name} />{!must && f.type !== 'boolean' && <span class="faint"> {t().inbox.optional}</span>}</label>
            {f.enum ? (
              <select {...common}>
                <option value="">{t().inbox.choose}</option>
                {f.enum.map((v, i) => <option key={i} value={String(i)} selected={v === f.default}>{spelled(String(v))}</option>)}
              </select>
            ) : f.type === 'integer' || f.type === 'number' ? (
              <input type="number" {...common} step={f.type === 'integer' ? 1 : 'any'} min={f.minimum} max={f.maximum} defaultValue={f.default === undefined ? '' : String(f.default)} />
            ) : f.type !== 'boolean' ? (
              <input type="text" {...common} minLength={f.minLength} maxLength={f.maxLength} defaultValue={f.default === undefined ? '' : String(f.default)} />
            ) : null}
            {f.description && <small id={`${at}-hint`}><Plain text={f.description} most={300} /></small>}
          </div>
        );
      })}
    </>
  );
}

// answerOf reads the answer from a form; fields that are not filled in are left out.
export function answerOf(schema: unknown, form: HTMLFormElement): Record<string, unknown> {
  const { properties = {} } = (schema ?? {}) as Schema;
  const answer: Record<string, unknown> = {};
  for (const [name, f] of Object.entries(properties)) {
    const input = form.elements.namedItem(name);
    if (input instanceof HTMLSelectElement) {
      if (input.value !== '') answer[name] = f.enum?.[Number(input.value)];
    } else if (input instanceof HTMLInputElement) {
      if (input.type === 'checkbox') answer[name] = input.checked;
      else if (input.value !== '') answer[name] = input.type === 'number' ? Number(input.value) : input.value;
    }
  }
  return answer;
}
