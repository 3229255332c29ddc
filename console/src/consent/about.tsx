// What a request is about: what will happen, who asked, and what the call may reach.

import { Plain, Pieces, Short } from '../components/plain';
import { Risk } from '../components/badge';
import { Facts } from '../components/facts';
import { Countdown, Time } from '../components/time';
import { unescaped } from '../lib/preview';
import { t } from '../text';
import type { Consent, Host } from './host';

// Act says in one line what will happen, in the server's words.
export function Act({ of: c }: { of: Consent }) {
  if (c.kind === 'question') return <><Plain text={c.question ?? ''} most={600} /></>;
  return <bdi class="plain inbox-object"><Pieces of={unescaped(c.sentence ?? c.tool)} /></bdi>;
}

// Asked says who asks, until when.
export function Asked({ of: c, host }: { of: Consent; host: Host }) {
  const named = (name: 'agent' | 'user', value: string) => <Linked href={host.namePage?.(name, value)} text={value} />;
  return (
    <p class="inbox-asked small faint">
      {c.kind !== 'question' && <Risk of={c.risk} />}
      <span>{c.agent ? <>{t().inbox.agent} {named('agent', c.agent)}</> : t().inbox.noAgent} {t().inbox.forPerson} {named('user', c.user)}</span>
      <span>{t().inbox.asked} <Time at={c.requested_at} /></span>
      {c.status === 'pending' && <span>{t().inbox.expires} <Countdown until={c.expires_at} /></span>}
    </p>
  );
}

function Linked({ href, text }: { href: string | undefined; text: string }) {
  return href ? <a href={href}><Short text={text} most={64} /></a> : <Short text={text} most={64} />;
}

// About has everything else that a person may want to know.
export function About({ of: c, host }: { of: Consent; host: Host }) {
  const list = (of: readonly string[] | undefined) => of && of.length > 0 ? <Plain text={of.join(', ')} most={300} /> : '';
  const link = (href: string | undefined, text: string) => <Linked key={text} href={href} text={text} />;
  return (
    <>
      {c.description && <p><Plain text={c.description} most={400} /></p>}
      <Facts of={[
        [t().inbox.reason, <Plain key="r" text={c.reason} most={400} />],
        [t().inbox.rule, c.rule && <Plain text={c.rule} />],
        [t().inbox.tool, link(host.namePage?.('tool', c.tool), c.tool)],
        [t().inbox.permissions, list(c.permissions)],
        [t().inbox.paths, list(c.scopes.paths)],
        [t().inbox.hosts, list(c.hosts ?? c.scopes.hosts)],
        [t().inbox.apps, list(c.scopes.apps)],
        [t().inbox.conversation, c.conversation && link(host.namePage?.('conversation', c.conversation), c.conversation)],
        [t().inbox.bound, c.binding && <Plain text={c.binding} most={120} />],
        [t().inbox.program, c.program && <>{link(host.programPage?.(c), c.program.call_id)} <span class="faint">{t().inbox.line(c.program.line)}{c.program.step && <>, <Plain text={c.program.step} most={64} /></>}</span></>],
        [t().inbox.call, link(host.callPage?.(c), c.call.call_id)],
        [t().inbox.trace, link(host.tracePage?.(c.call.trace_id), c.call.trace_id)],
        [t().inbox.hash, <code key="h"><Plain text={c.args_hash} most={30} /></code>],
      ]} />
    </>
  );
}
