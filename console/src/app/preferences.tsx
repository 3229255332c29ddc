// The switches of theme and language, who one is, and the sign-out.

import { useState } from 'preact/hooks';
import { tenant } from '../api/client';
import { asProblem } from '../api/problem';
import { Button } from '../components/button';
import { Dialog } from '../components/dialog';
import { toast } from '../components/toast';
import { exact } from '../lib/times';
import { leave } from '../push/device';
import { Switch } from '../push/switch';
import { language, languageNames, setLanguage, t } from '../text';
import { actor, has, me, setActor, setTenant, signOut } from './session';
import { setTimes, type Times } from './times';
import { setTheme, theme, type Theme } from './theme';

export function Preferences() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="quiet" aria-haspopup="dialog" onClick={() => setOpen(true)}>{t().nav.preferences}</button>
      {open && (
        <Dialog title={t().nav.preferences} onClose={() => setOpen(false)}>
          <label class="field">{t().nav.theme}
            <select value={theme.value} onChange={(e) => setTheme(e.currentTarget.value as Theme)}>
              <option value="">{t().nav.themeSystem}</option>
              <option value="light">{t().nav.themeLight}</option>
              <option value="dark">{t().nav.themeDark}</option>
            </select>
          </label>
          <label class="field">{t().nav.language}
            <select value={language.value} onChange={(e) => setLanguage(e.currentTarget.value)}>
              {languageNames.map(([code, name]) => <option key={code} value={code} lang={code}>{name}</option>)}
            </select>
          </label>
          {has('user', 'approver', 'admin') && <Switch />}
          {!me.value.authenticated && <Unauthenticated />}
          <label class="field">{t().nav.times}
            <select name="times" value={exact.value ? 'both' : 'relative'} onChange={(e) => setTimes(e.currentTarget.value as Times)}>
              <option value="relative">{t().nav.timesRelative}</option>
              <option value="both">{t().nav.timesBoth}</option>
            </select>
          </label>
          {me.value.session_expires_at && (
            <Button onClick={() => leave().then(signOut).catch((err) => toast(t().problems(asProblem(err)), 'bad'))}>{t().nav.signOut}</Button>
          )}
          {me.value.version && <p class="faint">Helve {me.value.version}</p>}
        </Dialog>
      )}
    </>
  );
}

// Without authentication the browser says who it is, as every client does then.
function Unauthenticated() {
  return (
    <>
      <label class="field">{t().nav.actor}
        <input value={actor.value} maxLength={64} pattern="[A-Za-z0-9_\-]{1,64}" autocomplete="off" spellcheck={false}
          onChange={(e) => { if (e.currentTarget.checkValidity()) setActor(e.currentTarget.value); else e.currentTarget.reportValidity(); }} />
        <small>{t().nav.actorHint}</small>
      </label>
      <label class="field">{t().nav.tenant}
        <input value={tenant.value || 'default'} maxLength={64} pattern="[A-Za-z0-9_\-]{1,64}" autocomplete="off" spellcheck={false}
          onChange={(e) => {
            if (!e.currentTarget.checkValidity()) return void e.currentTarget.reportValidity();
            setTenant(e.currentTarget.value);
            location.reload();
          }} />
      </label>
    </>
  );
}
