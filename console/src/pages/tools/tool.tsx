// A tool: what it does, how it is called, who may use it, and how its calls went.

import { api } from '../../api/client';
import { useLive } from '../../api/live';
import type { PageProps } from '../../app/area';
import { has } from '../../app/session';
import { Risk } from '../../components/badge';
import { Facts } from '../../components/facts';
import { Failure } from '../../components/failure';
import { Json } from '../../components/json';
import { Page } from '../../components/page';
import { Plain } from '../../components/plain';
import { t } from '../../text';
import { Stats } from './stats';
import { Try } from './try';
import { Users } from './users';

export default function Tool({ params }: PageProps) {
  const name = params['name'] ?? '';
  // Once: a form that a person fills in must not change below their hands.
  const { data: tool, problem, refresh } = useLive(name, (signal) => api.get('/v1/tools/{name}', { path: { name }, query: {}, signal }));
  const text = t().tools;
  return (
    <Page title={name} heading={<Plain text={name} most={120} />}>
      {!tool && problem && <Failure problem={problem} retry={refresh} />}
      {!tool && !problem && <p class="faint" aria-busy="true">{t().common.loading}</p>}
      {tool && (
        <div class="stack tools-tool">
          {tool.unavailable && <p class="tools-warning"><Plain text={tool.unavailable} most={400} /></p>}
          {!tool.enabled && <p class="tools-warning">{text.offText}</p>}
          <p class="tools-description"><Plain text={tool.description} most={3000} /></p>
          <Facts of={[
            [text.risk, <Risk of={tool.risk} />],
            [text.effect, tool.destructive ? text.destroys : tool.mutates ? text.changes : text.reads],
            [text.again, tool.idempotent ? text.idempotent : text.once],
            [text.kind, text.kinds[tool.kind] ?? tool.kind],
            [text.group, <a href={`/tools?group=${encodeURIComponent(tool.group)}`}><Plain text={tool.group} most={80} /></a>],
            [text.category, <a href={`/tools?category=${encodeURIComponent(tool.category)}`}><Plain text={tool.category} most={80} /></a>],
            [text.pool, <Plain text={tool.pool} most={60} />],
            [text.timeout, text.seconds(tool.timeout_seconds)],
            [text.version, <Plain text={tool.version} most={60} />],
            [text.aliases, tool.aliases?.length && <Plain text={tool.aliases.join(', ')} most={200} />],
          ]} />
          <Try key={tool.name} tool={tool} />
          <Users tool={tool} />
          {has('auditor', 'admin') && <Stats tool={tool.name} />}
          <section class="stack" aria-labelledby="definition">
            <h2 id="definition">{text.definition}</h2>
            {tool.example !== undefined && <details><summary>{text.example}</summary><Json value={tool.example} label={text.example} /></details>}
            <details><summary>{text.parameters}</summary><Json value={tool.parameters} label={text.parameters} /></details>
            {tool.result_schema !== undefined && <details><summary>{text.resultSchema}</summary><Json value={tool.result_schema} label={text.resultSchema} /></details>}
            <details><summary>{text.whole}</summary><Json value={tool} label={text.whole} /></details>
          </section>
        </div>
      )}
    </Page>
  );
}
