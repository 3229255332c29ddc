// The sign-in: an API key, or the issuer of the system.

import { useState } from 'preact/hooks';
import { send } from '../../api/client';
import { asProblem, type Problem } from '../../api/problem';
import { Button } from '../../components/button';
import { Failure } from '../../components/failure';
import { Page } from '../../components/page';
import { isSafe, navigate, place } from '../../app/router';
import { signedIn, state, type Me } from '../../app/session';
import { t } from '../../text';
import icon from '../../icon.svg';

export function Login() {
  const query = new URLSearchParams(place.value.search);
  const wanted = query.get('next') ?? '/';
  const next = isSafe(wanted) ? wanted : '/';
  const failed = query.get('error');
  const { me, signIn, problem } = state.value;
  const [wrong, setWrong] = useState<Problem>();
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);

  const submit = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setWrong(undefined);
    try {
      signedIn((await send('POST', '/login', { key: key.trim() })) as Me);
      setKey('');
      navigate(next === '/' ? '/home' : next, { replace: true });
    } catch (err) {
      setWrong(asProblem(err));
    } finally {
      setBusy(false);
    }
  };

  return (
    <main class="alone">
      <img src={icon} alt="" width="48" height="48" />
      <Page title={t().login.title}>
        {me ? (
          <p>{me.authenticated ? t().login.already : t().login.open} <a href={next}>{t().login.go}</a></p>
        ) : problem ? (
          <Failure problem={problem} retry={() => location.reload()} />
        ) : (
          <>
            {failed && <p class="bad" role="alert">{t().login.errors[failed] ?? t().login.errors['unavailable']}</p>}
            {signIn?.oidc && <p><a class="button primary wide" href={`/login/oidc?next=${encodeURIComponent(next)}`}>{t().login.oidc}</a></p>}
            {signIn?.key && (
              <form onSubmit={submit}>
                <label class="field">{t().login.key}
                  <input type="password" name="key" required maxLength={4096} autocomplete="current-password" spellcheck={false} value={key}
                    aria-invalid={wrong ? true : undefined} aria-describedby="login-wrong" onInput={(e) => setKey(e.currentTarget.value)} />
                </label>
                <p id="login-wrong" class="bad" role="alert">{wrong && t().problems(wrong)}</p>
                <Button kind={signIn.oidc ? 'plain' : 'primary'} type="submit" busy={busy} wide>{t().login.withKey}</Button>
              </form>
            )}
            {signIn && !signIn.oidc && !signIn.key && <p>{t().login.none}</p>}
          </>
        )}
      </Page>
    </main>
  );
}
