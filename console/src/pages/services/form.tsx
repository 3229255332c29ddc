// The form of an entry, made from the fields of its service.

import { useState } from 'preact/hooks';
import { api } from '../../api/client';
import { asProblem, type Problem } from '../../api/problem';
import { Button } from '../../components/button';
import { Failure } from '../../components/failure';
import { Plain } from '../../components/plain';
import { toast } from '../../components/toast';
import { has } from '../../app/session';
import { spelled } from '../../lib/visible';
import { t } from '../../text';
import { bodyOf, fieldsOf, generic, isSet, missing, shown, type Field, type Service, type Stored } from './entry';

const names = '[A-Za-z0-9_\\-]{1,64}';

export function Form({ service, entry, done }: { service: Service; entry: Stored | undefined; done: () => void }) {
  const [lacking, setLacking] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const isGeneric = generic.includes(service.name);
  const own = fieldsOf(service, entry);
  // A custom service has no fields of its own: one is named here, and is secret.
  const save = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    const text = (name: string) => String(data.get(name) ?? '');
    const given = new Map(own.map((f) => [f.name, f.secret ? text(`f-${f.name}`) : text(`f-${f.name}`).trim()]));
    const added = text('own-name').trim();
    if (added) given.set(added, text('own-value'));
    const fields: readonly Field[] = added ? [...own.filter((f) => f.name !== added), { name: added, secret: true, type: 'text' }] : own;
    const lacks = missing(fields, given, entry);
    setLacking(lacks);
    if (lacks[0]) {
      form.querySelector<HTMLElement>(`[name="f-${CSS.escape(lacks[0])}"]`)?.focus();
      return;
    }
    const user = entry ? entry.user : text('user').trim();
    setBusy(true);
    setProblem(undefined);
    try {
      await api.put('/v1/services/{service}/{label}', {
        path: { service: entry?.service ?? (isGeneric ? text('service').trim() : service.name), label: entry?.label ?? (text('label').trim() || 'default') },
        body: { ...bodyOf(fields, given, entry, data.has('active')), ...(isGeneric ? { type: service.name as 'http' } : service.type === 'oauth2' ? { type: service.type } : {}), ...(user ? { user } : {}) },
      });
      toast(t().services.saved);
      done();
    } catch (err) {
      setProblem(asProblem(err));
      setBusy(false);
    }
  };
  const word = (name: string, label: string, hint: string, required = false, value = '') => (
    <label class="field">{label}<input name={name} defaultValue={value} required={required} pattern={names} maxLength={64} autocomplete="off" spellcheck={false} /><small>{hint}</small></label>
  );
  return (
    <form autocomplete="off" onSubmit={(e) => { e.preventDefault(); if (!busy) void save(e.currentTarget); }}>
      {service.description && <p class="faint services-about"><Plain text={service.description} most={400} /></p>}
      {isGeneric && !entry && word('service', t().services.name, t().services.nameHint, true)}
      {!entry && word('label', t().services.label, t().services.labelHint, false, 'default')}
      {!entry && has('admin') && !service.shared && word('user', t().services.whose, t().services.whoseHint)}
      {own.map((f) => <Input key={f.name} of={f} stored={entry?.fields[f.name]} lacks={lacking.includes(f.name)} />)}
      {service.name === 'custom' && (
        <>
          {word('own-name', t().services.fieldName, entry ? t().services.moreHint : t().services.fieldHint, !entry)}
          <label class="field">{t().services.fieldValue}<input type="password" name="own-value" required={!entry} autocomplete="new-password" /></label>
        </>
      )}
      <label class="check"><input type="checkbox" name="active" defaultChecked={entry?.active ?? true} />{t().services.use}</label>
      {problem && <Failure problem={problem} />}
      <Button type="submit" kind="primary" busy={busy}>{t().services.save}</Button>
    </form>
  );
}

function Input({ of: f, stored, lacks }: { of: Field; stored: unknown; lacks: boolean }) {
  const name = `f-${f.name}`;
  const common = { name, id: name, 'aria-invalid': lacks || undefined, 'aria-required': f.required || undefined, 'aria-describedby': `${name}-hint ${name}-wrong` };
  const choices = f.options ?? (f.type === 'boolean' ? ['true', 'false'] : undefined);
  return (
    <div class="field">
      <label for={name}><Plain text={f.name} most={80} /> {!f.required && <span class="faint">{t().services.optional}</span>}</label>
      {choices ? (
        <select {...common} defaultValue={shown(stored)}><option value="">{t().services.unset}</option>{choices.map((c) => <option key={c} value={c} selected={c === shown(stored)}>{spelled(c)}</option>)}</select>
      ) : f.secret ? (
        // Secrets of several lines, such as private keys, lose their line breaks in an input.
        <textarea {...common} class="services-secret" rows={1} autocomplete="off" spellcheck={false} placeholder={isSet(stored) ? t().services.keeps : undefined} />
      ) : (
        <input {...common} type="text" inputMode={f.type === 'number' ? 'decimal' : f.type === 'url' ? 'url' : 'text'} autocomplete="off" spellcheck={false} defaultValue={shown(stored)} placeholder={f.default} />
      )}
      <small id={`${name}-hint`}>{f.description && <Plain text={f.description} most={300} />}</small>
      <small id={`${name}-wrong`} class="services-wrong">{lacks && t().services.fillIn}</small>
    </div>
  );
}
