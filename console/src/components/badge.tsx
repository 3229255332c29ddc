// Status and risk in a word and a colour; the word alone says it.

import { t } from '../text';

const tones: Record<string, 'good' | 'bad' | 'warn' | 'calm'> = {
  success: 'good', granted: 'good', ok: 'good', error: 'bad', denied: 'bad', high: 'bad', outcome_unknown: 'bad', expired: 'warn', warning: 'warn',
  awaiting_consent: 'warn', waiting: 'warn', pending: 'warn', medium: 'warn', refused: 'bad',
};

function label(words: Record<string, string>, value: string): string {
  return Object.hasOwn(words, value) ? (words[value] ?? value) : value;
}

// Status shows a state or a status of a call, a consent or a finding.
export function Status({ of }: { of: string }) {
  return <span class={`badge ${tones[of] ?? 'calm'}`}>{label(t().status, of)}</span>;
}

export function Risk({ of }: { of: string }) {
  return <span class={`badge ${tones[of] ?? 'calm'}`} title={label(t().riskMeans, of)}>{label(t().risk, of)}</span>;
}
