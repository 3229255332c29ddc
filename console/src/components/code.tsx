// Code, highlighted once its grammar is loaded.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { cut } from '../lib/visible';
import { t } from '../text';
import type { Language, Token } from './highlight';
import { Plain } from './plain';

export type { Language };

// Code of more characters than these is shown in part at first, or not highlighted at all.
const [longCode, mostHighlighted] = [6000, 100_000];

let grammars: typeof import('./highlight') | undefined;

export function Code({ code, language, label }: { code: string; language?: Language | undefined; label?: string }) {
  const [whole, setWhole] = useState(false);
  const [, setReady] = useState(grammars !== undefined);
  useEffect(() => {
    if (language && !grammars) import('./highlight').then((m) => { grammars = m; setReady(true); }, () => undefined);
  }, [language]);
  const { head, tail, left } = whole ? { head: code, tail: '', left: 0 } : cut(code, longCode);
  return (
    <pre class="code" tabIndex={0} role={label ? 'group' : undefined} aria-label={label}>
      <code>
        <Tokens code={head} language={language} />
        {left > 0 && <button type="button" class="cut" onClick={() => setWhole(true)}>{t().plain.left(left)}</button>}
        {tail && <Tokens code={tail} language={language} />}
      </code>
    </pre>
  );
}

function Tokens({ code, language }: { code: string; language: Language | undefined }) {
  const parts = useMemo<Token[]>(
    () => (language && grammars && code.length <= mostHighlighted ? grammars.tokens(code, language) : [{ text: code }]),
    [code, language, grammars],
  );
  return <>{parts.map((p, i) => (p.kind ? <span key={i} class={`t-${p.kind}`}><Plain text={p.text} /></span> : <Plain key={i} text={p.text} />))}</>;
}
